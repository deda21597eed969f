import type { Stats } from 'node:fs'
import { copiedRows, listAgentFiles, type Originals } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { WrittenEvent } from '../capture.ts'
import { createAgentFiles } from '../claude-code/agent-files.ts'
import { CLAUDE_CODE } from '../claude-code/read.ts'
import { readSidecar } from '../claude-code/sidecar.ts'
import type { Intake } from '../intake.ts'
import { readRecentEvents } from '../recent-events.ts'
import { countFrom } from './begin.ts'
import { createTranscriptFile, type TranscriptFile } from './file.ts'

export interface SessionOptions {
  readonly path: string
  readonly session: string
  readonly intake: Pick<Intake, 'capture' | 'append'>
  readonly store: Pick<EventStore, 'marks' | 'read' | 'sessions'>
  /** The time when transcripts were first read into this store. */
  readonly since: number
  readonly now: () => number
  readonly originals: Originals
}

/** Follows one session through its own transcript and those of its agents. */
export interface FollowedSession {
  readonly readOn: () => Promise<void>
  /** Returns the time when rows were last added. */
  readonly lastRead: () => number
  readonly behind: () => number
}

const MOST_AGENTS = 2_000

export function followSession(options: SessionOptions): FollowedSession {
  const { path, session, intake, store, now } = options
  const files = new Map<string, TranscriptFile>()
  const links = createAgentFiles(CLAUDE_CODE)
  let startedAt: number | undefined
  let isReady = false
  let lastRead = now()

  const from = (stats: Stats): number => countFrom(now(), stats, { startedAt, since: options.since })

  /**
   * Loads what hooks already reported of the session, so that the same events are recognised in its
   * transcript.
   */
  const prepare = async (): Promise<void> => {
    const known = await store.sessions({ of: [{ source: CLAUDE_CODE, session }], limit: 1 })
    if (!known.ok) throw new Error(known.message)
    startedAt = known.value.value[0]?.started_at
    if (startedAt !== undefined)
      intake.capture.recall(await readRecentEvents(store, { source: CLAUDE_CODE, session }))
    isReady = true
  }

  const fileOf = (file: string, agent?: string, meta = ''): TranscriptFile => {
    const known = files.get(file)
    if (known !== undefined) return known
    const agentType = async () => (agent === undefined ? undefined : (await readSidecar(meta))?.type)
    const marks = (names: readonly string[]) => store.marks(names)
    const made = createTranscriptFile({
      path: file,
      main: path,
      session,
      agent,
      agentType,
      files: links,
      intake,
      marks,
      from,
      copied: async () => (agent === undefined ? copiedRows(options.originals, { session, path: file }) : []),
    })
    files.set(file, made)
    return made
  }

  const readOn = async (): Promise<void> => {
    if (!isReady) await prepare()
    const agents = (await listAgentFiles(path)).slice(0, MOST_AGENTS)
    const all = [fileOf(path), ...agents.map(({ id, path: file, meta }) => fileOf(file, id, meta))]
    for (const file of all) if (await file.readOn()) lastRead = now()
    const found = intake.capture.written((await links.look()) as readonly WrittenEvent[])
    if (found.length === 0) return
    const appended = await intake.append(found)
    if (!appended.ok) throw new Error(appended.message)
  }

  return {
    readOn,
    lastRead: () => lastRead,
    behind: () => [...files.values()].reduce((sum, file) => sum + file.behind(), 0),
  }
}
