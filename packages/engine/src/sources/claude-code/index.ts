import { toFailure } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { findMessages } from './find.ts'
import { Strays } from './legacy-agent-files.ts'
import { listSessions } from './list.ts'
import { Originals } from './originals.ts'
import { projectsFolder } from './places.ts'
import type { IsForgotten } from './presence.ts'
import { type Around, readSession } from './read.ts'
import { watchSessions } from './watch.ts'

export { projectsFolder }

/** The transcripts of Claude Code. Copies from a forgotten session are left out. */
export function claudeCodeSource(folder: string, isForgotten: IsForgotten = () => false): SessionSource {
  const around = { projects: folder, originals: new Originals(), strays: new Strays(), isForgotten }
  return {
    name: 'claude-code',
    list: (signal) => listed(around, signal),
    read: (one, signal) => readSession(around, one, signal),
    find: (one, ids, stopped) => findMessages(around.strays, one, ids, stopped),
    watch: (changed) => watchSessions(folder, changed),
  }
}

async function* listed(around: Around, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* listSessions(around, signal)
  } catch (error) {
    yield { kind: 'failed', failure: toFailure(error, around.projects) }
  }
}
