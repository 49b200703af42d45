//! A model of the disk: which bytes would survive a loss of power.
//!
//! The rules are those of Linux with ext4 or XFS, at their least helpful:
//!
//! - A write changes the page cache. Until a sync, each sector on the disk has its old content, the
//!   new one, or any content in between, independently of its neighbours.
//! - A sync that succeeds writes all dirty blocks from before its beginning.
//! - A sync that fails may mark dirty blocks as clean without writing them. The process, and later
//!   processes, still read them from the page cache, but they are not on the disk. A later sync
//!   does not write them, unless the block is written again; then the whole block becomes dirty.
//! - The size of a file changes on its own. Bytes that were never written are zero. Data that
//!   follows a truncation is on the disk only if the truncation is.
//! - Changes of a folder's names reach the disk in order, when the folder is synced or before. The
//!   sync of a new file also makes its name durable.
//! - A loss of power keeps the disk, with any permitted choice for everything that is not durable.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rand::{Rng, RngExt as _};

use crate::journal::{Operation, Record, Synced};

/// A disk writes a sector as a whole or not at all.
const SECTOR: usize = 512;

pub(crate) struct Disk {
    /// The unit in which the file system remembers what is dirty.
    block: usize,
    files: Vec<File>,
    /// The place in `files` by inode number. The system uses numbers of deleted files again.
    inodes: BTreeMap<u64, usize>,
    /// Folders by path; the data directory has the empty path.
    folders: BTreeMap<String, Folder>,
    /// Syncs that have begun, by number: the file or the folder, and when.
    syncs: BTreeMap<u64, (Target, u64)>,
}

#[derive(Clone)]
enum Target {
    File(usize),
    Folder(String),
}

#[derive(Default)]
struct File {
    /// What processes read.
    cache: Vec<u8>,
    /// What is durable.
    disk: Vec<u8>,
    /// Changes that are not durable, divided by truncations. There is always at least one.
    epochs: Vec<Epoch>,
}

/// The changes after a truncation, or after the durable state.
#[derive(Default)]
struct Epoch {
    /// When the file was truncated, and to which size.
    truncated: Option<(u64, usize)>,
    /// Contents of dirty blocks, by number, oldest first, with the time of the write.
    blocks: BTreeMap<usize, Vec<(u64, Vec<u8>)>>,
    /// Larger sizes of the file, with the time of the write.
    sizes: Vec<(u64, usize)>,
}

#[derive(Default)]
struct Folder {
    durable: BTreeMap<String, Entry>,
    pending: Vec<(u64, Change)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    File(usize),
    Folder,
}

#[derive(Debug)]
enum Change {
    Add(String, Entry),
    Remove(String),
    Rename(String, String),
}

/// What a directory holds: files by path, and folders.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Image {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) folders: Vec<String>,
}

/// Which changes that are not durable are on the disk when the power fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// None.
    Nothing,
    /// All: as if the process had been killed, but without blocks that a failed sync dropped.
    Everything,
    /// All up to some moment.
    Prefix,
    /// Each sector on its own.
    Sectors,
    /// Each block on its own.
    Blocks,
    /// Nearly all blocks.
    Most,
}

impl Style {
    pub(crate) const ALL: [Self; 6] =
        [Self::Nothing, Self::Everything, Self::Prefix, Self::Sectors, Self::Blocks, Self::Most];
}

/// Decides how many of some changes are on the disk.
struct Chooser<'a, R> {
    style: Style,
    /// For [`Style::Prefix`]: the moment.
    until: u64,
    rng: &'a mut R,
}

impl<R: Rng> Chooser<'_, R> {
    fn choose<T>(&mut self, changes: &[(u64, T)]) -> usize {
        let n = changes.len();
        match self.style {
            Style::Nothing => 0,
            Style::Everything => n,
            Style::Prefix => changes.iter().filter(|(at, _)| *at <= self.until).count(),
            Style::Most if self.rng.random_bool(0.9) => n,
            Style::Sectors | Style::Blocks | Style::Most => self.rng.random_range(0..=n),
        }
    }
}

impl Disk {
    /// An empty data directory.
    pub(crate) fn new(block: usize) -> Self {
        let folders = BTreeMap::from([(String::new(), Folder::default())]);
        Self { block, files: Vec::new(), inodes: BTreeMap::new(), folders, syncs: BTreeMap::new() }
    }

    /// A disk that has the files of this directory, all of them durable.
    pub(crate) fn of(directory: &Path, block: usize) -> io::Result<Self> {
        let mut disk = Self::new(block);
        let found = Image::read(directory)?;
        for folder in found.folders {
            disk.add(0, &folder, Entry::Folder);
            disk.folders.insert(folder, Folder::default());
        }
        for (path, content) in found.files {
            let inode = fs::metadata(directory.join(&path))?.ino();
            let file = disk.create(inode);
            disk.files[file].disk.clone_from(&content);
            disk.files[file].cache = content;
            disk.add(0, &path, Entry::File(file));
        }
        for folder in disk.folders.values_mut() {
            folder.settle(usize::MAX);
        }
        Ok(disk)
    }

    fn create(&mut self, inode: u64) -> usize {
        self.files.push(File { epochs: vec![Epoch::default()], ..File::default() });
        self.inodes.insert(inode, self.files.len() - 1);
        self.files.len() - 1
    }

    fn add(&mut self, at: u64, path: &str, entry: Entry) {
        let (folder, name) = split(path);
        if let Some(folder) = self.folders.get_mut(folder) {
            folder.pending.push((at, Change::Add(name.to_owned(), entry)));
        }
    }

    /// Forgets syncs that had not ended when the process died.
    pub(crate) fn process_died(&mut self) {
        self.syncs.clear();
    }

    /// Carries an operation out. `rng` decides what a failed sync drops.
    pub(crate) fn apply(&mut self, record: &Record, rng: &mut impl Rng) -> Result<(), String> {
        let at = record.end;
        let unknown = |inode: &u64| format!("the shim reports a file with unknown inode {inode}");
        match &record.operation {
            Operation::Creating { .. } | Operation::Failed { .. } => {}
            Operation::Created { path, inode } => {
                let file = self.create(*inode);
                self.add(at, path, Entry::File(file));
            }
            Operation::Write { inode, offset, data, .. } => {
                let file = *self.inodes.get(inode).ok_or_else(|| unknown(inode))?;
                self.files[file].write(at, *offset, data, self.block);
            }
            Operation::Truncate { inode, size } => {
                let file = *self.inodes.get(inode).ok_or_else(|| unknown(inode))?;
                self.files[file].truncate(at, *size);
            }
            Operation::SyncBegin { path, is_folder: true, number, .. } => {
                self.syncs.insert(*number, (Target::Folder(path.clone()), at));
            }
            Operation::SyncBegin { inode, number, .. } => {
                let file = *self.inodes.get(inode).ok_or_else(|| unknown(inode))?;
                self.syncs.insert(*number, (Target::File(file), at));
            }
            Operation::SyncEnd { number, synced, .. } => {
                let (target, begun) = self.syncs.remove(number).ok_or("a sync ends that never began")?;
                self.sync(&target, begun, *synced, rng);
            }
            Operation::MakeFolder { path } => {
                self.add(at, path, Entry::Folder);
                self.folders.entry(path.clone()).or_default();
            }
            Operation::Unlink { path } => {
                let (folder, name) = split(path);
                let folder = self.folders.get_mut(folder).ok_or("a file in an unknown folder is deleted")?;
                folder.pending.push((at, Change::Remove(name.to_owned())));
            }
            Operation::Rename { from, to } => {
                let ((folder, name), (target, new_name)) = (split(from), split(to));
                if folder != target {
                    return Err(format!("this test cannot move files between folders: {from} to {to}"));
                }
                let folder = self.folders.get_mut(folder).ok_or("a file in an unknown folder is renamed")?;
                folder.pending.push((at, Change::Rename(name.to_owned(), new_name.to_owned())));
            }
        }
        Ok(())
    }

    fn sync(&mut self, target: &Target, begun: u64, synced: Synced, rng: &mut impl Rng) {
        match (synced, target) {
            (Synced::Lied, _) | (Synced::Failed, Target::Folder(_)) => {}
            (Synced::Truly, Target::Folder(path)) => {
                if let Some(folder) = self.folders.get_mut(path) {
                    folder.settle(folder.pending.iter().filter(|(at, _)| *at < begun).count());
                }
            }
            (Synced::Truly, Target::File(file)) => {
                self.files[*file].settle(begun, self.block);
                for folder in self.folders.values_mut() {
                    let is_its_name = |change: &(u64, Change)| match change {
                        (at, Change::Add(_, Entry::File(added))) => added == file && *at < begun,
                        _ => false,
                    };
                    let n = folder.pending.iter().position(is_its_name).map_or(0, |place| place + 1);
                    folder.settle(n);
                }
            }
            (Synced::Failed, Target::File(file)) => {
                // Mostly everything is dropped, sometimes a part.
                let share = [1.0, 1.0, 0.5][rng.random_range(0..3)];
                self.files[*file].drop_dirty(begun, || rng.random_bool(share));
            }
        }
    }

    /// A disk with the same page cache, of which nothing is durable, to replay a journal on.
    pub(crate) fn copy_of_cache(&self) -> Self {
        let copy = |file: &File| File { cache: file.cache.clone(), ..File::default() };
        let mut copied = Self::new(self.block);
        copied.inodes.clone_from(&self.inodes);
        copied.syncs.clone_from(&self.syncs);
        copied.files = self.files.iter().map(copy).collect();
        for file in &mut copied.files {
            file.epochs.push(Epoch::default());
        }
        let names =
            |folder: &Folder| Folder { durable: folder.after(folder.pending.len()), pending: Vec::new() };
        copied.folders = self.folders.iter().map(|(path, folder)| (path.clone(), names(folder))).collect();
        copied
    }

    /// What processes see: the state after a kill without a loss of power.
    pub(crate) fn cached(&self) -> Image {
        let all = |folder: &Folder| folder.after(folder.pending.len());
        self.walk(all, |file| file.cache.clone())
    }

    /// What a loss of power at this moment may leave.
    pub(crate) fn after_power_cut(&self, style: Style, rng: &mut impl Rng) -> Image {
        let mut moments: Vec<u64> = self.files.iter().flat_map(File::moments).collect();
        moments.extend(self.folders.values().flat_map(|folder| folder.pending.iter().map(|(at, _)| *at)));
        let until = if moments.is_empty() { u64::MAX } else { moments[rng.random_range(0..moments.len())] };
        let chooser = std::cell::RefCell::new(Chooser { style, until, rng });
        let names = |folder: &Folder| folder.after(chooser.borrow_mut().choose(&folder.pending));
        self.walk(names, |file| file.on_disk(&mut chooser.borrow_mut(), self.block))
    }

    fn walk(
        &self,
        names: impl Fn(&Folder) -> BTreeMap<String, Entry>,
        content: impl Fn(&File) -> Vec<u8>,
    ) -> Image {
        let mut image = Image::default();
        let mut folders = vec![String::new()];
        while let Some(path) = folders.pop() {
            let Some(folder) = self.folders.get(&path) else { continue };
            for (name, entry) in names(folder) {
                let path = if path.is_empty() { name } else { format!("{path}/{name}") };
                match entry {
                    Entry::File(file) => {
                        image.files.insert(path, content(&self.files[file]));
                    }
                    Entry::Folder => {
                        image.folders.push(path.clone());
                        folders.push(path);
                    }
                }
            }
        }
        image.folders.sort();
        image
    }
}

impl File {
    fn write(&mut self, at: u64, offset: usize, data: &[u8], block: usize) {
        let end = offset + data.len();
        self.grow(at, end);
        self.cache[offset..end].copy_from_slice(data);
        let epoch = self.epochs.last_mut().expect("there is always one");
        for number in offset / block..end.div_ceil(block) {
            let content = &self.cache[number * block..self.cache.len().min((number + 1) * block)];
            epoch.blocks.entry(number).or_default().push((at, content.to_vec()));
        }
    }

    fn grow(&mut self, at: u64, size: usize) {
        if size > self.cache.len() {
            self.cache.resize(size, 0);
            self.epochs.last_mut().expect("there is always one").sizes.push((at, size));
        }
    }

    fn truncate(&mut self, at: u64, size: usize) {
        if size < self.cache.len() {
            self.cache.truncate(size);
            self.epochs.push(Epoch { truncated: Some((at, size)), ..Epoch::default() });
        } else {
            self.grow(at, size);
        }
    }

    /// A sync that began at this time succeeded.
    fn settle(&mut self, begun: u64, block: usize) {
        let n_truncated =
            self.epochs.iter().skip(1).filter(|epoch| epoch.truncated.is_some_and(|(at, _)| at < begun));
        let n_truncated = n_truncated.count();
        for (i, epoch) in self.epochs.iter_mut().enumerate().take(n_truncated + 1) {
            if let Some((_, size)) = epoch.truncated.take() {
                self.disk.truncate(size);
            }
            let n_sizes = epoch.sizes.iter().filter(|(at, _)| *at < begun).count();
            if let Some((_, size)) = epoch.sizes.drain(..n_sizes).next_back() {
                self.disk.resize(size, 0);
            }
            for (number, versions) in &mut epoch.blocks {
                let n_versions = versions.iter().filter(|(at, _)| *at < begun).count();
                if let Some((_, content)) = versions.drain(..n_versions).next_back() {
                    put(&mut self.disk, number * block, &content);
                }
            }
            epoch.blocks.retain(|_, versions| !versions.is_empty());
            debug_assert!(i == n_truncated || epoch.blocks.is_empty(), "a later truncation was synced");
        }
        self.epochs.drain(..n_truncated);
    }

    /// A sync that began at this time failed: some dirty blocks become clean without being written.
    fn drop_dirty(&mut self, begun: u64, mut is_dropped: impl FnMut() -> bool) {
        for epoch in &mut self.epochs {
            for versions in epoch.blocks.values_mut() {
                if is_dropped() {
                    versions.retain(|(at, _)| *at >= begun);
                }
            }
            epoch.blocks.retain(|_, versions| !versions.is_empty());
        }
    }

    /// The times of all changes that are not durable.
    fn moments(&self) -> Vec<u64> {
        let mut moments = Vec::new();
        for epoch in &self.epochs {
            moments.extend(epoch.truncated.iter().map(|(at, _)| *at));
            moments.extend(epoch.sizes.iter().map(|(at, _)| *at));
            moments.extend(epoch.blocks.values().flatten().map(|(at, _)| *at));
        }
        moments
    }

    fn on_disk(&self, chooser: &mut Chooser<'_, impl Rng>, block: usize) -> Vec<u8> {
        let truncations: Vec<_> = self.epochs.iter().filter_map(|epoch| epoch.truncated).collect();
        let last = chooser.choose(&truncations);
        let mut content = self.disk.clone();
        for (i, epoch) in self.epochs.iter().enumerate().take(last + 1) {
            if let Some((_, size)) = epoch.truncated {
                content.truncate(size);
            }
            // A truncation that happened makes earlier sizes irrelevant.
            let n_sizes = if i == last { chooser.choose(&epoch.sizes) } else { epoch.sizes.len() };
            if let Some((_, size)) = epoch.sizes[..n_sizes].last() {
                content.resize(*size, 0);
            }
            for (number, versions) in &epoch.blocks {
                let unit = if chooser.style == Style::Sectors { SECTOR } else { block };
                for within in (0..block).step_by(unit) {
                    if let Some((_, version)) = versions[..chooser.choose(versions)].last() {
                        let part = version.get(within..version.len().min(within + unit));
                        put(&mut content, number * block + within, part.unwrap_or_default());
                    }
                }
            }
        }
        content
    }
}

/// Copies data into a file, without the part beyond its end.
fn put(file: &mut [u8], offset: usize, data: &[u8]) {
    let end = file.len().min(offset + data.len());
    if offset < end {
        file[offset..end].copy_from_slice(&data[..end - offset]);
    }
}

impl Folder {
    /// Makes the first changes durable.
    fn settle(&mut self, n: usize) {
        self.durable = self.after(n);
        self.pending.drain(..n.min(self.pending.len()));
    }

    /// The names after the first changes.
    fn after(&self, n: usize) -> BTreeMap<String, Entry> {
        let mut names = self.durable.clone();
        for (_, change) in self.pending.iter().take(n) {
            match change {
                Change::Add(name, entry) => {
                    names.insert(name.clone(), *entry);
                }
                Change::Remove(name) => {
                    names.remove(name);
                }
                Change::Rename(from, to) => {
                    if let Some(entry) = names.remove(from) {
                        names.insert(to.clone(), entry);
                    }
                }
            }
        }
        names
    }
}

/// A path's folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl Image {
    /// Reads a directory, without `-shm` files, which need not survive anything.
    pub(crate) fn read(directory: &Path) -> io::Result<Self> {
        let mut image = Self::default();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(directory.join(&folder))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                if entry.file_type()?.is_dir() {
                    image.folders.push(path.clone());
                    folders.push(path);
                } else if !path.ends_with("-shm") {
                    image.files.insert(path, fs::read(entry.path())?);
                }
            }
        }
        image.folders.sort();
        Ok(image)
    }

    /// Writes the image to a directory, and deletes everything else there.
    pub(crate) fn write(&self, directory: &Path) -> io::Result<()> {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        fs::create_dir_all(directory)?;
        for folder in &self.folders {
            fs::create_dir_all(directory.join(folder))?;
        }
        for (path, content) in &self.files {
            fs::write(directory.join(path), content)?;
        }
        Ok(())
    }

    /// The first difference to another image.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        if self.folders != other.folders {
            return Some(format!("folders {:?} and {:?}", self.folders, other.folders));
        }
        let paths: std::collections::BTreeSet<_> = self.files.keys().chain(other.files.keys()).collect();
        paths.into_iter().find_map(|path| match (self.files.get(path), other.files.get(path)) {
            (Some(left), Some(right)) if left == right => None,
            (Some(left), Some(right)) => {
                let place = left.iter().zip(right).position(|(left, right)| left != right);
                let place = place.unwrap_or(left.len().min(right.len()));
                Some(format!("`{path}` has {} and {} bytes, different at {place}", left.len(), right.len()))
            }
            (left, _) => Some(format!("only one has `{path}` ({})", left.map_or("the other", |_| "this"))),
        })
    }
}
