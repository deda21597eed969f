import { hash as hashOf } from 'node:crypto'
import { join, sep } from 'node:path'
import type { FileMark, KnowledgeChange, KnowledgeIndex } from '@panoptes/engine/ledger'
import { redactText } from '@panoptes/engine/redact'
import { orThrow } from '@panoptes/engine/threads'
import type { Root } from './folders.ts'
import { passagesOf } from './passages.ts'
import { bytesOf } from './read-file.ts'
import { textIn } from './text.ts'
import { isMarkdown, type Limits, type NotedFile, type Walked, walk } from './walk.ts'

export interface RefreshJob {
  readonly index: KnowledgeIndex
  readonly roots: readonly Root[]
  readonly limits: Limits
  readonly stopped: () => boolean
  readonly progress: (done: number, total: number) => void
}

export interface Refreshed {
  /** Files that are looked up in. */
  readonly files: number
  /** Those that were read, and those that are there no more. */
  readonly read: number
  readonly dropped: number
  /** What a person should know of it. */
  readonly notes: readonly string[]
  /** To be watched. */
  readonly folders: readonly string[]
}

/** In the place of a hash, of a file that is no text. */
const NO_TEXT = ''

/** So much is written at once: what was read is found soon, and a stop loses little. */
const BATCH_CHARS = 1_000_000

/** Brings the index up to date with the folders: only what changed is read. */
export async function refresh({ index, roots, limits, stopped, progress }: RefreshJob): Promise<Refreshed> {
  const named = new Set(roots.map(({ folder }) => folder))
  const gone = orThrow(await index.folders()).filter((folder) => !named.has(folder))
  orThrow(await index.write(gone.map((folder) => ({ type: 'leave', folder }))))
  const reals = new Set(roots.map(({ real }) => real))
  const looks: {
    readonly root: Root
    readonly walked: Walked
    readonly known: ReadonlyMap<string, FileMark>
  }[] = []
  let left = limits
  for (const root of roots) {
    const others = new Set([...reals].filter((real) => real !== root.real))
    const walked = await walk(root, others, left, stopped)
    looks.push({ root, walked, known: orThrow(await index.known(root.folder)) })
    left = less(left, walked)
  }
  const notes = new Notes()
  const total = looks.reduce(
    (sum, { walked, known }) => sum + walked.files.filter((file) => isNew(file, known)).length,
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
  for (const { root, walked, known } of looks) {
    notes.saw(root, walked)
    if (stopped()) break
    const drops = goneFrom(walked, known)
    dropped += drops.length
    held.push(...drops.map((path) => ({ type: 'drop' as const, folder: root.folder, path })))
    files += walked.files.length
    for (const file of walked.files) {
      if (stopped()) break
      const before = known.get(file.path)?.hash
      if (!isNew(file, known)) {
        if (before === NO_TEXT) notes.noText()
        continue
      }
      const change = await changeOf(root, file, before, limits)
      held.push(change)
      if (change.type === 'file') chars += change.passages.reduce((sum, { text }) => sum + text.length, 1_000)
      const hash = change.type === 'file' ? change.hash : before
      if (change.type === 'drop' || hash === NO_TEXT) notes.noText()
      done += 1
      progress(done, total)
      if (chars >= BATCH_CHARS) await write()
    }
  }
  await write()
  const folders = looks.flatMap(({ walked }) => walked.folders)
  return { files, read: done, dropped, notes: notes.all(), folders }
}

const isNew = ({ path, mark }: NotedFile, known: ReadonlyMap<string, FileMark>): boolean =>
  known.get(path)?.mark !== mark

const less = (limits: Limits, { files, folders }: Walked): Limits => ({
  ...limits,
  files: limits.files - files.length,
  folders: limits.folders - folders.length,
  bytes: limits.bytes - files.reduce((sum, { size }) => sum + size, 0),
})

/** What could not be looked into is not gone. */
export function goneFrom(
  { files, unread }: Pick<Walked, 'files' | 'unread'>,
  known: ReadonlyMap<string, unknown>,
): readonly string[] {
  const there = new Set(files.map(({ path }) => path))
  const away = unread.filter(({ code }) => code !== 'ENOENT' && code !== 'ENOTDIR')
  const isAway = (path: string) =>
    away.some((each) => each.path === '' || path.startsWith(`${each.path}${sep}`))
  return [...known.keys()].filter((path) => !there.has(path) && !isAway(path))
}

async function changeOf(
  { folder, real }: Root,
  { path, mark, isFresh }: NotedFile,
  before: string | undefined,
  limits: Limits,
): Promise<KnowledgeChange> {
  const bytes = await bytesOf(join(real, path), limits.file)
  if (bytes === undefined) return { type: 'drop', folder, path }
  // One that may change once more by the same clock is read again the next time.
  const kept = isFresh ? `${mark} fresh` : mark
  const text = textIn(bytes)
  const own = text === undefined ? NO_TEXT : hashOf('sha1', bytes, 'base64url')
  if (own === before) return { type: 'mark', folder, path, mark: kept }
  const passages = text === undefined ? [] : passagesOf(redactText(text).text, isMarkdown(path))
  return { type: 'file', folder, path, mark: kept, hash: own, passages }
}

/** What is not looked up in, and why. */
class Notes {
  readonly #notes: string[] = []
  #large = 0
  #noText = 0
  #isCut = false

  saw({ folder }: Root, { unread, tooLarge, isCut }: Walked): void {
    this.#large += tooLarge
    this.#isCut ||= isCut
    const root = unread.find(({ path }) => path === '')
    if (root?.code === 'ENOENT') this.#notes.push(`the folder ${folder} is not there`)
    else if (root?.code === 'ENOTDIR') this.#notes.push(`${folder} is no folder`)
    else if (root !== undefined) this.#notes.push(`the folder ${folder} cannot be read`)
    else if (unread.length > 0) this.#notes.push(`${unread.length} folders in ${folder} cannot be read`)
  }

  noText(): void {
    this.#noText += 1
  }

  all(): readonly string[] {
    const files = (count: number) => (count === 1 ? '1 file' : `${count} files`)
    return [
      ...this.#notes,
      ...(this.#large > 0 ? [`${files(this.#large)} too large to be looked up in`] : []),
      ...(this.#noText > 0 ? [`${files(this.#noText)} without a text that could be read`] : []),
      ...(this.#isCut ? ['there is more in the folders than is looked up in'] : []),
    ]
  }
}
