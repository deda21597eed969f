import { hash as hashOf } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { redactText } from '@panoptes/engine/redact'
import type { FileMark, KnowledgeChange, KnowledgeIndex } from '@panoptes/engine/store'
import { orThrow } from '@panoptes/engine/worker-rpc'
import { plural } from '@panoptes/schema/numbers'
import { splitPassages } from './passages.ts'
import type { Root } from './walk.ts'
import { type FoundFile, isMarkdown, type Limits, type WalkResult, walk } from './walk.ts'

export interface RefreshJob {
  readonly index: KnowledgeIndex
  readonly roots: readonly Root[]
  readonly limits: Limits
  readonly stopped: () => boolean
  readonly progress: (done: number, total: number) => void
}

export interface RefreshResult {
  /** The number of indexed files. */
  readonly files: number
  /** The files that were read, and those that no longer exist. */
  readonly read: number
  readonly dropped: number
  /** What the user should know about the result. */
  readonly notes: readonly string[]
  /** The folders to watch. */
  readonly folders: readonly string[]
}

/** Stands in place of a hash for files that are not text. */
const NO_TEXT = ''

/** Writes happen in batches of this size: new text is found soon, and an interruption loses little. */
const BATCH_CHARS = 1_000_000

/** Brings the index up to date with the folders and reads only what changed. */
export async function refresh({
  index,
  roots,
  limits,
  stopped,
  progress,
}: RefreshJob): Promise<RefreshResult> {
  const named = new Set(roots.map(({ folder }) => folder))
  const gone = orThrow(await index.folders()).filter((folder) => !named.has(folder))
  orThrow(await index.write(gone.map((folder) => ({ type: 'leave', folder }))))
  const reals = new Set(roots.map(({ real }) => real))
  const looks: {
    readonly root: Root
    readonly walked: WalkResult
    readonly fileMarks: ReadonlyMap<string, FileMark>
  }[] = []
  let left = limits
  for (const root of roots) {
    const others = new Set([...reals].filter((real) => real !== root.real))
    const walked = await walk(root, others, left, stopped)
    looks.push({ root, walked, fileMarks: orThrow(await index.fileMarks(root.folder)) })
    left = subtractLimits(left, walked)
  }
  const notes = new Notes()
  const total = looks.reduce(
    (sum, { walked, fileMarks }) => sum + walked.files.filter((file) => isNew(file, fileMarks)).length,
    0,
  )
  let [done, files, dropped] = [0, 0, 0]
  let held: KnowledgeChange[] = []
  let chars = 0
  const write = async () => {
    orThrow(await index.write(held))
    held = []
    chars = 0
  }
  progress(0, total)
  for (const { root, walked, fileMarks } of looks) {
    notes.addWalk(root, walked)
    if (stopped()) break
    const drops = findDeleted(walked, fileMarks)
    dropped += drops.length
    held.push(...drops.map((path) => ({ type: 'drop' as const, folder: root.folder, path })))
    files += walked.files.length
    for (const file of walked.files) {
      if (stopped()) break
      const before = fileMarks.get(file.path)?.hash
      if (!isNew(file, fileMarks)) {
        if (before === NO_TEXT) notes.countNoText()
        continue
      }
      const change = await readChange(root, file, before, limits)
      held.push(change)
      if (change.type === 'file') chars += change.passages.reduce((sum, { text }) => sum + text.length, 1_000)
      const hash = change.type === 'file' ? change.hash : before
      if (change.type === 'drop' || hash === NO_TEXT) notes.countNoText()
      done += 1
      progress(done, total)
      if (chars >= BATCH_CHARS) await write()
    }
  }
  await write()
  const folders = looks.flatMap(({ walked }) => walked.folders)
  return { files, read: done, dropped, notes: notes.all(), folders }
}

const isNew = ({ path, mark }: FoundFile, fileMarks: ReadonlyMap<string, FileMark>): boolean =>
  fileMarks.get(path)?.mark !== mark

const subtractLimits = (limits: Limits, { files, folders }: WalkResult): Limits => ({
  ...limits,
  files: limits.files - files.length,
  folders: limits.folders - folders.length,
  bytes: limits.bytes - files.reduce((sum, { size }) => sum + size, 0),
})

/** Files in folders that could not be read are not treated as deleted. */
export function findDeleted(
  { files, unread }: Pick<WalkResult, 'files' | 'unread'>,
  fileMarks: ReadonlyMap<string, unknown>,
): readonly string[] {
  const there = new Set(files.map(({ path }) => path))
  const away = unread.filter(({ code }) => code !== 'ENOENT' && code !== 'ENOTDIR')
  const isAway = (path: string) =>
    away.some((each) => each.path === '' || path.startsWith(`${each.path}${sep}`))
  return [...fileMarks.keys()].filter((path) => !there.has(path) && !isAway(path))
}

async function readChange(
  { folder, real }: Root,
  { path, mark, isFresh }: FoundFile,
  before: string | undefined,
  limits: Limits,
): Promise<KnowledgeChange> {
  const bytes = await readBytes(join(real, path), limits.file)
  if (bytes === undefined) return { type: 'drop', folder, path }
  // A file that may change again within the same time stamp is re-read next time.
  const storedMark = isFresh ? `${mark} fresh` : mark
  const text = textIn(bytes)
  const own = text === undefined ? NO_TEXT : hashOf('sha1', bytes, 'base64url')
  if (own === before) return { type: 'mark', folder, path, mark: storedMark }
  const passages = text === undefined ? [] : splitPassages(redactText(text).text, isMarkdown(path))
  return { type: 'file', folder, path, mark: storedMark, hash: own, passages }
}

/** Collects what is not indexed, and why. */
class Notes {
  readonly #notes: string[] = []
  #large = 0
  #noText = 0
  #isCut = false

  addWalk({ folder }: Root, { unread, tooLarge, isCut }: WalkResult): void {
    this.#large += tooLarge
    this.#isCut ||= isCut
    const root = unread.find(({ path }) => path === '')
    if (root?.code === 'ENOENT') this.#notes.push(`the folder ${folder} does not exist`)
    else if (root?.code === 'ENOTDIR') this.#notes.push(`${folder} is not a folder`)
    else if (root !== undefined) this.#notes.push(`the folder ${folder} cannot be read`)
    else if (unread.length > 0)
      this.#notes.push(`${plural(unread.length, 'folder')} in ${folder} cannot be read`)
  }

  countNoText(): void {
    this.#noText += 1
  }

  all(): readonly string[] {
    return [
      ...this.#notes,
      ...(this.#large > 0 ? [`${plural(this.#large, 'file')} too large to index`] : []),
      ...(this.#noText > 0 ? [`${plural(this.#noText, 'file')} without readable text`] : []),
      ...(this.#isCut ? ['the folders contain more than the index holds'] : []),
    ]
  }
}

/** The number of bytes checked to tell text from binary data. */
const HEAD = 8_192

/** Decodes the text of a file. Undefined when it is not text. */
function textIn(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, HEAD).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * Reads a file. Undefined when it is not a regular file, has grown beyond the limit, or cannot be read. It
 * does not follow links.
 */
async function readBytes(path: string, most: number): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const about = await file.stat()
      const { size } = about
      if (!about.isFile() || size > most) return undefined
      const bytes = Buffer.alloc(size)
      let read = 0
      while (read < size) {
        const { bytesRead } = await file.read(bytes, read, size - read, read)
        if (bytesRead === 0) break
        read += bytesRead
      }
      return bytes.subarray(0, read)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
