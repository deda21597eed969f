import { constants, type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Marks } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import type { AgentFiles } from '../claude-code/agent-files.ts'
import { createTranscriptReader, type TranscriptReader } from '../claude-code/transcript.ts'
import { isMessage, maySayMore } from '../claude-code/transcript-row.ts'
import { newState } from '../claude-code/transcript-state.ts'
import type { Intake } from '../intake.ts'
import { type Chunk, type ChunkLimits, readChunk } from '../tail/chunk.ts'
import { beginAt } from './begin.ts'
import { type Kept, markOf, parseKept, writeKept } from './kept.ts'

export interface FileOptions {
  readonly path: string
  /** The path of the session's own transcript, which is this file unless the file belongs to an agent. */
  readonly main: string
  readonly session: string
  readonly agent: string | undefined
  /** Returns the type of the agent once the client has written it to disk. */
  readonly agentType: () => Promise<string | undefined>
  readonly files: AgentFiles
  readonly intake: Pick<Intake, 'capture' | 'append'>
  readonly marks: (names: readonly string[]) => Promise<Result<Marks>>
  /** Returns the time from which rows count in a file that is seen for the first time. */
  readonly from: (stats: Stats) => number
  /**
   * Returns the keys of the rows that a fork copied from another session to the beginning of this file. It is
   * called once the file contains a message.
   */
  readonly copied: () => Promise<readonly string[]>
}

/** Follows one transcript: the session's own, or that of an agent. */
export interface TranscriptFile {
  /** Reports new rows as events and returns whether there were any. */
  readonly readOn: () => Promise<boolean>
  readonly behind: () => number
}

const LIMITS: ChunkLimits = { chunk: 262_144, line: 33_554_432 }
/**
 * Fewer read bytes than this are not committed while they contain no events. After a restart they are read
 * again.
 */
const MOST_UNKEPT = 1_048_576

export function createTranscriptFile(options: FileOptions): TranscriptFile {
  const { path, intake } = options
  const mark = markOf(path)
  let kept: Kept | undefined
  let reader: TranscriptReader | undefined
  let committed = 0
  let loaded = false
  let behind = 0
  let copied: Set<string> | undefined

  const readOn = async (): Promise<boolean> => {
    // Usually nothing was added, and a short synchronous call costs less than opening the file.
    if (kept !== undefined && statSync(path, { throwIfNoEntry: false })?.size === kept.place.offset)
      return false
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
    if (handle === undefined) return false
    try {
      return await readFrom(handle)
    } finally {
      await handle.close()
    }
  }

  const readFrom = async (handle: FileHandle): Promise<boolean> => {
    const stats = await handle.stat()
    // Anything may appear in the watched folder under the name of a transcript.
    if (!stats.isFile()) return false
    const file = `${stats.dev}:${stats.ino}`
    if (!loaded) await load()
    if (kept?.place.file !== file) beginAgain(file, stats)
    const before = kept?.place.offset
    let isRewritten = false
    while (kept !== undefined && kept.place.offset !== stats.size) {
      const chunk = await readChunk(handle, kept.place, stats.size, LIMITS)
      if (chunk === 'moved') {
        if (isRewritten) break
        isRewritten = true
        beginAgain(file, stats)
        continue
      }
      if (chunk.next === kept.place) break
      await take(chunk, kept)
      if (chunk.atEnd) break
    }
    behind = Math.max(0, stats.size - (kept?.place.offset ?? 0))
    return kept?.place.offset !== before
  }

  const load = async (): Promise<void> => {
    const marks = await options.marks([mark])
    if (!marks.ok) throw new Error(marks.message)
    kept = parseKept(marks.value[mark])
    committed = kept?.place.offset ?? 0
    loaded = true
  }

  /**
   * Reads a rewritten file again. Its events have the same keys as before, so none of them is stored twice.
   */
  const beginAgain = (file: string, stats: Stats): void => {
    const from = kept?.from ?? options.from(stats)
    kept = { ...beginAt(file, stats.size), state: newState(), from }
    reader = undefined
    committed = 0
  }

  const take = async (chunk: Chunk, { state, from, whole }: Kept): Promise<void> => {
    if (copied === undefined && chunk.lines.some((line) => 'text' in line && isMessage(line.text)))
      copied = new Set(await options.copied())
    const read = await readerOf(state, from, whole)
    const written = chunk.lines.flatMap((line) =>
      'text' in line && maySayMore(line.text) ? read.read(line.text) : [],
    )
    kept = { place: chunk.next, state, from, whole }
    const events = intake.capture.written(written)
    if (events.length === 0 && chunk.next.offset - committed < MOST_UNKEPT) return
    const appended = await intake.append(events, { [mark]: writeKept(kept) })
    if (!appended.ok) {
      loaded = false
      reader = undefined
      throw new Error(appended.message)
    }
    committed = chunk.next.offset
  }

  const readerOf = async (...[state, from, whole]: [Kept['state'], number, boolean]) => {
    const { session, agent, main, files } = options
    const agentType = reader === undefined ? await options.agentType() : undefined
    const of = { session, agent, agentType, path: main, whole, isCopied: (key: string) => copied?.has(key) }
    reader ??= createTranscriptReader(of, state, files, from)
    return reader
  }

  return { readOn, behind: () => behind }
}
