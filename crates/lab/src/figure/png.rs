//! A scene as a PNG file (ISO/IEC 15948): 8 bits for each of red, green and blue.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::raster::Pixels;
use super::scene::Scene;

/// A figure cannot be drawn as a PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum PngError {
    /// The picture would be empty or larger than can be drawn.
    #[error("a picture of {width} by {height} pixels cannot be drawn")]
    Size { width: u32, height: u32 },
}

/// The file, with `scale` pixels per pixel of the scene.
pub(super) fn write(scene: &Scene, scale: f32) -> Result<Vec<u8>, PngError> {
    let pixels = Pixels::of(scene, scale).map_err(|[width, height]| PngError::Size { width, height })?;
    let mut header = [0; 13];
    header[..4].copy_from_slice(&pixels.width.to_be_bytes());
    header[4..8].copy_from_slice(&pixels.height.to_be_bytes());
    // 8 bits, three colours, the only methods of compression and filtering, and no interlacing.
    header[8..].copy_from_slice(&[8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    put_chunk(&mut file, *b"IHDR", &header);
    put_chunk(&mut file, *b"IDAT", &packed(&pixels));
    put_chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

fn put_chunk(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).expect("pictures of more than 4 GB are not drawn");
    file.extend(length.to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(content);
    file.extend(crc32fast::hash(&file[start..]).to_be_bytes());
}

/// The rows, compressed. No filter is used, because areas of one colour are smaller without.
fn packed(pixels: &Pixels) -> Vec<u8> {
    const UNFILTERED: [u8; 1] = [0];
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.rgb.chunks_exact(3 * pixels.width as usize) {
        for part in [&UNFILTERED, row] {
            packed.write_all(part).expect("writing to a vector cannot fail");
        }
    }
    packed.finish().expect("writing to a vector cannot fail")
}
