import { hash } from 'node:crypto'
import { constants as FLAGS, readFileSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Failure, Result, SessionRef } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { makeFolder } from '../make-folder.ts'
import {
  MANIFEST_VERSION,
  type OriginalFile,
  type OriginalFrame,
  type Originals,
  parseManifest,
} from './manifest.ts'

export interface OriginalsSummary extends SessionRef {
  readonly fingerprint: string
  readonly files: number
  /** The length of the files, and what they occupy. */
  readonly bytes: number
  readonly stored_bytes: number
  /** When the newest file was changed. */
  readonly modified: number
}

/** The files of a session as they are now, by their paths below a folder. */
export interface CurrentFiles {
  readonly root: string
  readonly paths: readonly string[]
}

/** A frame has at most this many bytes of its file, so that no file has to fit in memory. */
const FRAME_BYTES = 1_048_576
const MANIFEST = 'manifest.json'
const COMPRESSION = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

export const fileBytes = ({ frames }: Pick<OriginalFile, 'frames'>): number =>
  frames.reduce((sum, [bytes]) => sum + bytes, 0)
export const storedBytes = ({ frames }: Pick<OriginalFile, 'frames'>): number =>
  frames.reduce((sum, [, stored]) => sum + stored, 0)

export const hashBytes = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url')

export const summarizeOriginals = ({ source, id, fingerprint, files }: Originals): OriginalsSummary => ({
  ...{ source, id, fingerprint, files: files.length },
  bytes: files.reduce((sum, file) => sum + fileBytes(file), 0),
  stored_bytes: files.reduce((sum, file) => sum + storedBytes(file), 0),
  modified: Math.max(0, ...files.map(({ modified }) => modified)),
})

/**
 * Keeps the files of sessions byte for byte, each in frames of zstd. A manifest names the frames that count and
 * is replaced as a whole after they are on the disk. What a killed process wrote after the last frame that
 * counts is cut off before the next one. Only one process may write at a time. No method throws.
 */
export class OriginalStore {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  /** Lists the sessions whose originals are kept. A damaged manifest counts as absent. */
  async list(): Promise<Result<readonly OriginalsSummary[]>> {
    return attempt(this.folder, async () => {
      const found: OriginalsSummary[] = []
      for (const source of await namesIn(this.folder))
        for (const name of await namesIn(join(this.folder, source))) {
          const originals = readManifest(join(this.folder, source, name))
          if (originals !== undefined) found.push(summarizeOriginals(originals))
        }
      return found
    })
  }

  async get(session: SessionRef): Promise<Result<Originals | undefined>> {
    const place = this.#place(session)
    return attempt(place, async () => readManifest(place))
  }

  /**
   * Brings the originals of a session up to date. It appends what a file grew by, and replaces a file that was
   * rewritten. A file that the agent deleted stays, unless the whole session moved. An aborted call keeps what
   * it has done.
   */
  async capture(
    session: SessionRef & { readonly fingerprint: string },
    { root, paths }: CurrentFiles,
    signal?: AbortSignal,
  ): Promise<Result<Originals | undefined>> {
    const place = this.#place(session)
    return attempt(place, async () => {
      const before = readManifest(place)
      const stored = new Map(before?.files.map((file) => [file.path, file]))
      const [main] = paths
      if (main === undefined) return before
      makeFolder(place)
      const names = new Names(await namesIn(place))
      const files: OriginalFile[] = []
      for (const path of paths) {
        if (signal?.aborted) break
        const file = await captureFile({ path, root, place, names, before: stored.get(path), signal })
        if (file !== undefined) files.push(file)
        else if (path === main) return before
      }
      const hasMoved = before !== undefined && before.files[0]?.path !== main
      if (files.length === 0 || (hasMoved && signal?.aborted)) return before
      if (!hasMoved) files.push(...[...stored.values()].filter(({ path }) => !isIn(files, path)))
      const { source, id } = session
      const fingerprint = signal?.aborted ? '' : session.fingerprint
      const originals = { source, id, fingerprint, files }
      await writeManifest(place, originals)
      for (const name of await namesIn(place))
        if (name !== MANIFEST && !files.some(({ data }) => data === name)) await rm(join(place, name))
      return originals
    })
  }

  /** Returns how many of these sessions had originals. */
  async remove(sessions: readonly SessionRef[]): Promise<Result<number>> {
    return attempt(this.folder, async () => {
      let removed = 0
      for (const session of sessions) {
        const place = this.#place(session)
        if ((await namesIn(place)).length === 0) continue
        await rm(place, { recursive: true, force: true })
        removed += 1
      }
      return removed
    })
  }

  /** Reads a file frame by frame. It throws if the stored bytes are damaged. */
  async *read(session: SessionRef, { data, frames }: OriginalFile): AsyncGenerator<Uint8Array> {
    const file = join(this.#place(session), data)
    const handle = await open(file)
    try {
      let at = 0
      for (const [bytes, stored, expected] of frames) {
        const frame = decompress(await readAt(handle, at, stored), bytes)
        if (frame === undefined || hashBytes(frame) !== expected) throw new Error(`${file} is damaged`)
        yield frame
        at += stored
      }
    } finally {
      await handle.close()
    }
  }

  /** Ids come from other programs and may be too long or too strange for a name of a folder. */
  #place({ source, id }: SessionRef): string {
    return join(this.folder, source, hash('sha256', id, 'hex').slice(0, 32))
  }
}

const isIn = (files: readonly OriginalFile[], path: string): boolean =>
  files.some((file) => file.path === path)

interface Capture {
  readonly path: string
  readonly root: string
  readonly place: string
  readonly names: Names
  readonly before: OriginalFile | undefined
  readonly signal: AbortSignal | undefined
}

/** Returns undefined for a file that does not exist, or is no regular file. */
async function captureFile(capture: Capture): Promise<OriginalFile | undefined> {
  const { path, root, place, names, before, signal } = capture
  const source = await openRegular(join(root, path))
  if (source === undefined) return undefined
  try {
    const { size, mtimeMs, mode } = await source.stat()
    if (before !== undefined && before.modified === mtimeMs && fileBytes(before) === size) return before
    const target = await openFrames(
      place,
      before && (await hasPrefix(source, size, before)) ? before : undefined,
      names,
    )
    try {
      const frames = [...target.frames]
      let at = fileBytes({ frames })
      let end = storedBytes({ frames })
      while (at < size && !signal?.aborted) {
        const bytes = await readAt(source, at, Math.min(FRAME_BYTES, size - at))
        // The file became shorter, which the next call notices.
        if (bytes.length === 0) break
        const frame = zstdCompressSync(bytes, COMPRESSION)
        await target.handle.write(frame, 0, frame.length, end)
        frames.push([bytes.length, frame.length, hashBytes(bytes)])
        at += bytes.length
        end += frame.length
      }
      await target.handle.sync()
      return { path, mode: mode & 0o777, modified: at === size ? mtimeMs : 0, data: target.name, frames }
    } finally {
      await target.handle.close()
    }
  } finally {
    await source.close()
  }
}

interface Frames {
  readonly name: string
  readonly handle: FileHandle
  readonly frames: readonly OriginalFrame[]
}

/** Opens the frames of a file to append to, or begins new ones. */
async function openFrames(place: string, before: OriginalFile | undefined, names: Names): Promise<Frames> {
  if (before !== undefined) {
    const handle = await open(join(place, before.data), 'r+').catch(() => undefined)
    const end = storedBytes(before)
    if (handle !== undefined && (await handle.stat()).size >= end) {
      // A killed process may have left a part of a frame.
      await handle.truncate(end)
      return { name: before.data, handle, frames: before.frames }
    }
    await handle?.close()
  }
  const name = names.next()
  return { name, handle: await open(join(place, name), 'wx', 0o600), frames: [] }
}

/**
 * Checks whether a file still begins with the bytes that are kept. If it grew, the end of them decides, so that a
 * growing file is not read again. If it did not, all of them are compared: its time changed for some reason.
 */
async function hasPrefix(source: FileHandle, size: number, before: OriginalFile): Promise<boolean> {
  const length = fileBytes(before)
  if (size < length) return false
  const compared = size > length ? before.frames.slice(-1) : before.frames
  let at = length - fileBytes({ frames: compared })
  for (const [bytes, , expected] of compared) {
    if (hashBytes(await readAt(source, at, bytes)) !== expected) return false
    at += bytes
  }
  return true
}

/** Names for new files of frames. A number is not used again while the manifest may name it. */
class Names {
  #next: number

  constructor(taken: readonly string[]) {
    this.#next = 1 + Math.max(0, ...taken.map((name) => Number.parseInt(name, 10) || 0))
  }

  next(): string {
    this.#next += 1
    return `${this.#next - 1}.zst`
  }
}

/** A link is not followed, and a pipe is not waited for: neither is a session's own file. */
async function openRegular(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, FLAGS.O_RDONLY | FLAGS.O_NOFOLLOW | FLAGS.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) return undefined
      throw error
    },
  )
  if (handle === undefined || (await handle.stat()).isFile()) return handle
  await handle.close()
  return undefined
}

/** Returns fewer bytes only at the end of the file. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}

function decompress(frame: Uint8Array, bytes: number): Uint8Array | undefined {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: Math.max(bytes, 1) })
  } catch {
    return undefined
  }
}

/** There may be thousands of small manifests, for which asynchronous reading takes several times as long. */
export function readManifest(place: string): Originals | undefined {
  try {
    return parseManifest(readFileSync(join(place, MANIFEST), 'utf8'))
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

export async function writeManifest(place: string, originals: Originals): Promise<void> {
  const temporary = join(place, `${MANIFEST}.new`)
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify({ v: MANIFEST_VERSION, ...originals }))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, join(place, MANIFEST))
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))

/** Turns system errors into failures with advice. */
async function attempt<T>(place: string, work: () => Promise<T>): Promise<Result<T>> {
  try {
    return success(await work())
  } catch (error) {
    return toFailure(error, place)
  }
}

function toFailure(error: unknown, place: string): Failure {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return failure('disk_full', `The disk with ${place} is full. Free some space.`)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return failure(
      'read_only',
      `Original files could not be kept in ${place}: ${message}. Check its permissions.`,
    )
  return failure('io', `The original files in ${place} could not be used: ${message}. Run "panoptes doctor".`)
}
