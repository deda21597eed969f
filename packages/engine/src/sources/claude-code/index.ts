import { failureOf } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { listSessions } from './list.ts'
import { Originals } from './originals.ts'
import { projectsFolder } from './places.ts'
import { readSession } from './read.ts'
import { Strays } from './strays.ts'
import { watchSessions } from './watch.ts'

export { projectsFolder }

/** The transcripts of Claude Code. */
export function claudeCodeSource(folder: string): SessionSource {
  const around = { originals: new Originals(), strays: new Strays() }
  return {
    name: 'claude-code',
    list: (signal) => listed(folder, around.strays, signal),
    read: (one, signal) => readSession(around, one, signal),
    watch: (changed) => watchSessions(folder, changed),
  }
}

async function* listed(folder: string, strays: Strays, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* listSessions(folder, strays, signal)
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, folder) }
  }
}
