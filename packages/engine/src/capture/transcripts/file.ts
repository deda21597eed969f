import { type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Marks } from '@panoptes/engine/ledger'
import type { Result } from '@panoptes/schema'
import type { AgentFiles } from '../claude-code/agent-files.ts'
import { createTranscriptReader, type TranscriptReader } from '../claude-code/transcript.ts'
import { maySayMore } from '../claude-code/transcript-row.ts'
import { newState } from '../claude-code/transcript-state.ts'
import type { Intake } from '../intake.ts'
import { type Chunk, type ChunkLimits, readChunk } from '../tail/chunk.ts'
import { beginAt } from './begin.ts'
import { type Kept, markOf, parseKept, writeKept } from './kept.ts'

export interface FileOptions {
  readonly path: string
  /** The session's transcript: this one, or the one that this agent belongs to. */
  readonly main: string
  readonly session: string
  readonly agent: string | undefined
  /** What kind of agent it is, once that is written down. */
  readonly agentType: () => Promise<string | undefined>
  readonly files: AgentFiles
  readonly intake: Pick<Intake, 'capture' | 'append'>
  readonly marks: (names: readonly string[]) => Promise<Result<Marks>>
  /** From when on the rows of a file that is met for the first time count. */
  readonly from: (stats: Stats) => number
}

/** One transcript that is being followed: the session's own, or an agent's. */
export interface TranscriptFile {
  /** Tells what was added; whether anything was. */
  readonly readOn: () => Promise<boolean>
  readonly behind: () => number
}

const LIMITS: ChunkLimits = { chunk: 262_144, line: 33_554_432 }
/** What tells nothing is not worth a commit of its own; after a restart it is read again. */
const MOST_UNKEPT = 1_048_576

export function createTranscriptFile(options: FileOptions): TranscriptFile {
  const { path, intake } = options
  const mark = markOf(path)
  let kept: Kept | undefined
  let reader: TranscriptReader | undefined
  let committed = 0
  let loaded = false
  let behind = 0

  const readOn = async (): Promise<boolean> => {
    // As a rule nothing was added, and a short call costs less than opening the file.
    if (kept !== undefined && statSync(path, { throwIfNoEntry: false })?.size === kept.place.offset)
      return false
    const handle = await open(path, 'r').catch(() => undefined)
    if (handle === undefined) return false
    try {
      return await readFrom(handle)
    } finally {
      await handle.close()
    }
  }

  const readFrom = async (handle: FileHandle): Promise<boolean> => {
    const stats = await handle.stat()
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

  /** What was told of a file that was written anew has the same keys. */
  const beginAgain = (file: string, stats: Stats): void => {
    const from = kept?.from ?? options.from(stats)
    kept = { ...beginAt(file, stats.size), state: newState(), from }
    reader = undefined
    committed = 0
  }

  const take = async (chunk: Chunk, { state, from, whole }: Kept): Promise<void> => {
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
    reader ??= createTranscriptReader({ session, agent, agentType, path: main, whole }, state, files, from)
    return reader
  }

  return { readOn, behind: () => behind }
}
