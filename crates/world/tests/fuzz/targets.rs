//! The readers, each with a corpus of files and words of the format to insert.

use std::fmt::Display;
use std::io::{self, Cursor, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use tiltyard_world::build::scores::{Model, parse_scores};
use tiltyard_world::build::votes::{Options, VoteMatrix};
use tiltyard_world::collection::{LetorReader, Qrels, Query, ReadCollectionError, TrecRun};
use tiltyard_world::matrix_file::{MatrixFormat, parse_matrix};
use tiltyard_world::piecewise::{PiecewiseWorld, parse_segments};
use tiltyard_world::utility_file::parse_utilities;
use tiltyard_world::votes::optuna::parse_journal;
use tiltyard_world::votes::{Format, parse_votes, visit_votes};

/// A reader under test.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) corpus: fn() -> Vec<Vec<u8>>,
    pub(crate) dictionary: &'static [&'static str],
    /// The bytes that it may allocate independently of the input.
    pub(crate) besides: usize,
    pub(crate) run: fn(&[u8]) -> Reading,
}

/// The result of reading an input.
pub(crate) struct Reading {
    /// "read", or the message of the error.
    pub(crate) answer: String,
    /// The number of bytes read, plus the decompressed ones. Memory may be in proportion to it.
    pub(crate) length: usize,
}

/// For names and messages.
const LITTLE: usize = 1 << 14;

/// For buffers and the state of the decompressor.
const UNPACKING: usize = 1 << 19;

pub(crate) static TARGETS: &[Target] = &[
    Target { name: "letor", corpus: letor_corpus, dictionary: LETOR, besides: LITTLE, run: letor },
    Target {
        name: "letor, gzip",
        corpus: gzip_corpus,
        dictionary: &["\x1f"],
        besides: UNPACKING,
        run: letor_gzip,
    },
    Target { name: "run", corpus: || texts(RUNS), dictionary: TREC, besides: LITTLE, run },
    Target { name: "qrels", corpus: || texts(QRELS), dictionary: TREC, besides: LITTLE, run: qrels },
    Target {
        name: "matrix, csv",
        corpus: || texts(MATRICES),
        dictionary: MATRIX,
        besides: LITTLE,
        run: |bytes| matrix(bytes, MatrixFormat::Csv),
    },
    Target {
        name: "matrix, txt",
        corpus: || texts(MATRICES),
        dictionary: MATRIX,
        besides: LITTLE,
        run: |bytes| matrix(bytes, MatrixFormat::Text),
    },
    Target {
        name: "matrix, npy",
        corpus: npy_corpus,
        dictionary: NPY,
        besides: LITTLE,
        run: |bytes| matrix(bytes, MatrixFormat::Npy),
    },
    Target { name: "votes", corpus: votes_corpus, dictionary: VOTE, besides: UNPACKING, run: votes },
    Target {
        name: "votes, one by one",
        corpus: votes_corpus,
        dictionary: VOTE,
        besides: 3 * UNPACKING,
        run: visit,
    },
    Target {
        name: "journal",
        corpus: || texts(JOURNALS),
        dictionary: JOURNAL,
        besides: LITTLE,
        run: journal,
    },
    Target { name: "scores", corpus: || texts(SCORES), dictionary: SCORE, besides: LITTLE, run: scores },
    Target {
        name: "segments",
        corpus: || texts(SEGMENTS),
        dictionary: SEGMENT,
        besides: LITTLE,
        run: segments,
    },
    Target {
        name: "utilities",
        corpus: || texts(UTILITIES),
        dictionary: UTILITY,
        besides: LITTLE,
        run: utilities,
    },
];

const LETOR: &[&str] = &[
    "qid:",
    "qid:1",
    "qid:x",
    " qid:2 ",
    "#",
    "# docid = a",
    ":",
    "1:",
    "2:0.5",
    " 1000000:1",
    "1000001:1",
    "\n",
    "\r\n",
    "\u{feff}",
    "\t",
    "0 qid:a 1:1\n",
    "31",
    "32",
    "2.0",
];

const LETORS: &[&str] = &[
    "2 qid:10 1:0.5 2:1 46:0.076923 #docid = GX029-35-5894638 inc = 1 prob = 0.08\n0 qid:10 1:0.27 3:-1e-3\n1 qid:11 1:0.1\n",
    "\u{feff}# comment\r\n\r\n1.0 qid:WT04-182\t7:3 2:1e5\r\n0 qid:WT04-182 1:1 # last",
    "0 qid:a\n0 qid:a\n0 qid:b\n4 qid:c 1000000:1\n",
    "1 qid:a 1:1\n1 qid:b 1:1\n1 qid:a 1:1\n",
    "1 qid:a 2:1 1:1 2:1\n",
];

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn letor_corpus() -> Vec<Vec<u8>> {
    texts(LETORS)
}

fn read_letor(bytes: &[u8]) -> String {
    let read = || -> Result<(), ReadCollectionError> {
        let mut reader = LetorReader::new("f", Cursor::new(bytes.to_vec()))?.keep_names();
        let mut query = Query::new("");
        while reader.read_into(&mut query)? {
            // The query is consistent.
            let n_values: usize =
                (0..query.n_documents()).map(|document| query.features(document).len()).sum();
            assert!(
                n_values == query.n_values() && query.n_documents() > 0 && query.n_features() <= 1_000_000
            );
        }
        Ok(())
    };
    said(read())
}

fn letor(bytes: &[u8]) -> Reading {
    Reading { answer: read_letor(bytes), length: bytes.len() }
}

fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip_corpus() -> Vec<Vec<u8>> {
    let mut corpus = Vec::new();
    for text in LETORS {
        // Stored without compression, so that mutations reach the text; and compressed.
        corpus.push(gzip(text.as_bytes(), Compression::none()));
        corpus.push(gzip(text.repeat(3).as_bytes(), Compression::best()));
    }
    corpus.push([corpus[0].as_slice(), &corpus[5]].concat());
    corpus
}

fn letor_gzip(bytes: &[u8]) -> Reading {
    Reading { answer: read_letor(bytes), length: unpacked_length(bytes) }
}

/// The decompressed length counts, too, because a file may decompress to a thousand times its size.
fn unpacked_length(bytes: &[u8]) -> usize {
    let mut unpacked = Counter(0);
    let _ = io::copy(&mut MultiGzDecoder::new(bytes), &mut unpacked);
    bytes.len() + unpacked.0
}

/// Counts what is written to it.
struct Counter(usize);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const TREC: &[&str] =
    &["Q0", " 0 ", "d1", "-2", "31", "32", "\n", "\t", "#", "1e5", "7 Q0 d1 1 0.5 a\n", "7 0 d1 1\n"];
const RUNS: &[&str] = &[
    "7 Q0 d1 1 0.5 bm25\n7 Q0 d2 2 0.9 bm25\n3 Q0 d1 0 -1e2 bm25\n",
    "# note\r\n\r\nb\tQ0\td1\t1\t3\tx\r\nb Q0 d1 2 2 x",
];
const QRELS: &[&str] = &["b 0 d1 2\nb 0 d2 -2\na 0 d1 0\n", "# note\r\n\r\nb\t0\td1\t31\r\nb 0 d1 1"];

fn run(bytes: &[u8]) -> Reading {
    let read = TrecRun::new("f", Cursor::new(bytes.to_vec()));
    Reading { answer: said(read.map(|_| ())), length: bytes.len() }
}

fn qrels(bytes: &[u8]) -> Reading {
    let read = Qrels::new("f", Cursor::new(bytes.to_vec()));
    Reading { answer: said(read.map(|_| ())), length: bytes.len() }
}

const VOTE: &[&str] = &[
    "left",
    "right",
    "tie",
    "both_bad",
    "skip",
    "outcome",
    "weight",
    ",",
    "\n",
    "\r\n",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    "0.5",
    "-1",
    "1e9",
    "\"model_a\":",
    "\"winner\":",
    "\"tie (bothbad)\"",
    "\"leftvote\"",
    "\u{feff}",
    "a,b,left\n",
];
const VOTES: &[&str] = &[
    "left,right,outcome\na,b,left\nb,a,right\na,c,tie\n",
    "outcome,left,right,weight,voter\r\n0.5,a,b,2,v\r\n\"both_bad\",\"a\",\"c\",1,w\r\n",
    "model_a,model_b,winner\nx,y,model_a\nx,z,tie (bothbad)\n",
    "[{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"model_b\"},{\"model_a\":\"y\",\"model_b\":\"x\",\"winner\":\"tie\",\"turn\":1}]",
    "{\"model_a\":\"x\",\"model_b\":\"y\",\"winner\":\"model_a\",\"language\":\"English\"}\n{\"model_a\":\"x\",\"model_b\":\"z\",\"winner\":\"tie\"}\n",
    "{\"tstamp\":1.5,\"type\":\"leftvote\",\"models\":[\"x\",\"y\"],\"states\":[{},{}],\"ip\":\"\"}\n",
];

fn votes_corpus() -> Vec<Vec<u8>> {
    let plain = texts(VOTES);
    let packed: Vec<_> = plain.iter().map(|bytes| gzip(bytes, Compression::fast())).collect();
    plain.into_iter().chain(packed).collect()
}

fn votes(bytes: &[u8]) -> Reading {
    let read = parse_votes(Cursor::new(bytes));
    // Votes that were read can be built into a matrix, or are refused with a reason.
    let answer = match read {
        Ok(votes) => said(VoteMatrix::new(&votes, Options::default()).map(|_| ())),
        Err(error) => said(Err::<(), _>(error)),
    };
    Reading { answer, length: unpacked_length(bytes) }
}

/// Reads the same files one vote at a time, in each format.
fn visit(bytes: &[u8]) -> Reading {
    let visit = |format| {
        let mut n_votes = 0;
        let visited = visit_votes(Cursor::new(bytes), format, &mut |row| {
            // Names and the optional fields are not blank.
            let texts = [row.time, row.voter, row.pscore].into_iter().flatten();
            assert!(texts.chain([row.left, row.right]).all(|text| !text.trim().is_empty()));
            n_votes += 1;
            n_votes < 3
        });
        said(visited.map(|visited| assert!(visited.is_whole == (n_votes < 3))))
    };
    let answer = [Format::Auto, Format::Csv, Format::Json].map(visit).join("; ");
    // Each format reads the file again.
    Reading { answer, length: 3 * unpacked_length(bytes) }
}

const JOURNAL: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "[[",
    ",",
    "\n",
    "\"op_code\":",
    "\"op_code\":1",
    "\"op_code\":3",
    "\"study_id\":",
    "\"study_name\":\"s\"",
    "\"system_attr\":{",
    "\"preference:values",
    "\"preference:is_preferential\":true",
    "0",
    "-1",
    "4294967296",
    "null",
];
const JOURNALS: &[&str] = &[
    "{\"op_code\":0,\"study_name\":\"s\",\"directions\":[1]}\n\
     {\"op_code\":3,\"study_id\":0,\"system_attr\":{\"preference:is_preferential\":true}}\n\
     {\"op_code\":4,\"study_id\":0}\n\
     {\"op_code\":3,\"study_id\":0,\"system_attr\":{\"preference:values1\":[[0,1],[2,1]]}}\n\
     {\"op_code\":3,\"study_id\":0,\"system_attr\":{\"preference:values1\":[]}}\n",
    "{\"op_code\":0,\"study_name\":\"s\"}\n\n{\"op_code\":1,\"study_id\":0}\n{\"op_code\":0,\"study_name\":\"t\"}",
];

fn journal(bytes: &[u8]) -> Reading {
    Reading { answer: said(parse_journal(Cursor::new(bytes)).map(|_| ())), length: bytes.len() }
}

const SCORE: &[&str] = &[
    "arm", "score", "sigma", ",", "\n", "\r\n", "\"", "1e308", "-1e308", "nan", "inf", "0", "1.5", "\u{feff}",
];
const SCORES: &[&str] = &["arm,score\na,1\nb,2\n", "sigma,arm,score\r\n1,a,0.5\r\n2,\"b\",-0.5\r\n"];

fn scores(bytes: &[u8]) -> Reading {
    let answer = match parse_scores(Cursor::new(bytes)) {
        Ok(scores) => {
            let matrix = scores.matrix(Model::BradleyTerry { scale: 1.0, base: core::f64::consts::E });
            said(matrix.map(|_| ()))
        }
        Err(error) => said(Err::<(), _>(error)),
    };
    Reading { answer, length: bytes.len() }
}

const MATRIX: &[&str] =
    &["0.5", "0.25", "0.75", ",", ";", "\t", "\"", "\n", "\r\n", "#", "a,b\n", "1.0", " ", "\u{feff}"];
const MATRICES: &[&str] = &[
    "0.5,0.75\n0.25,0.5\n",
    "a;b\r\n\"0.5\";\"0.75\"\r\n\"0.25\";\"0.5\"\r\n",
    "# note\n\n0.5 0.75 # first\n0.25 0.5",
    "0.5\n",
    "0.5,0.6\n0.41,0.5\n",
];

fn matrix(bytes: &[u8], format: MatrixFormat) -> Reading {
    Reading { answer: said(parse_matrix(bytes, format).map(|_| ())), length: bytes.len() }
}

const SEGMENT: &[&str] = &[
    "from",
    "from,1\n",
    "from,2\n0.5\n",
    "0.5",
    "0.25",
    "0.75",
    ",",
    ";",
    "\"",
    "\n",
    "\r\n",
    "#",
    "a,b\n",
    "1e3",
];
const SEGMENTS: &[&str] = &[
    "from,1\n0.5,0.75\n0.25,0.5\nfrom,100\n0.5,0.25\n0.75,0.5\n",
    "# two\r\nfrom;1;\r\na;b\r\n0.5;1\r\n0;0.5\r\n\r\nfrom;1e3\r\na;b\r\n0.5;0\r\n1;0.5",
    "from,1\n0.5\nfrom,2\n0.5\nfrom,2\n0.5\n",
];

fn segments(bytes: &[u8]) -> Reading {
    let answer = match parse_segments(bytes) {
        // Segments that were read always make a world.
        Ok(read) => {
            drop(PiecewiseWorld::new(read.segments, 1000).with_names(read.names));
            "read".to_owned()
        }
        Err(error) => said(Err::<(), _>(error)),
    };
    Reading { answer, length: bytes.len() }
}

const UTILITY: &[&str] =
    &["round", "round,", "1", "0", "0.5", "1e3", ",", ";", "\t", "\"", "\n", "\r\n", "a,b\n", "\u{feff}"];
const UTILITIES: &[&str] = &[
    "0.5,0.75\n0.25,1\n",
    "\u{feff}a;b\r\n0.5;0.75\r\n\r\n.25;1",
    "round,a,b\n1,0.5,0.75\n1e3,0.25,1\n",
    "round,a\n1,0.5\n7,0.5\n7,0.5\n",
];

fn utilities(bytes: &[u8]) -> Reading {
    let all = parse_utilities(Cursor::new(bytes), None);
    // Reading less cannot add errors.
    let few = parse_utilities(Cursor::new(bytes), Some(2));
    assert!(all.is_err() || few.is_ok());
    Reading { answer: said(all.map(|_| ())), length: bytes.len() }
}

const NPY: &[&str] = &[
    "'descr': '<f8'",
    "'descr': '>f4'",
    "'fortran_order': True",
    "'shape': (2, 2)",
    "(",
    ")",
    ",",
    "{",
    "}",
    "20001",
    "\u{e0}?",
    "\n",
];

fn npy(version: u8, header: &str, numbers: &[f64]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = u16::try_from(header.len()).unwrap();
    if version == 1 {
        bytes.extend(length.to_le_bytes());
    } else {
        bytes.extend(u32::from(length).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

fn npy_corpus() -> Vec<Vec<u8>> {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n";
    let numbers = [0.5, 0.75, 0.25, 0.5];
    vec![
        npy(1, header, &numbers),
        npy(2, &header.replace("False", "True"), &numbers),
        npy(3, &header.replace("(2, 2)", "(2, 3)"), &numbers),
        npy(1, &header.replace("<f8", "<i4"), &numbers),
        npy(1, header, &[0.5, 0.75, 0.75, 0.5]),
    ]
}

fn said<E: Display>(result: Result<(), E>) -> String {
    result.map_or_else(|error| error.to_string(), |()| "read".to_owned())
}
