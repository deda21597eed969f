import { failureOf } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { listSessions } from './list.ts'
import { projectsFolder } from './places.ts'
import { readSession } from './read.ts'
import { watchSessions } from './watch.ts'

export { projectsFolder }

/** The transcripts of Claude Code. */
export function claudeCodeSource(folder: string): SessionSource {
  return {
    name: 'claude-code',
    list: (signal) => listed(folder, signal),
    read: readSession,
    watch: (changed) => watchSessions(folder, changed),
  }
}

async function* listed(folder: string, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* listSessions(folder, signal)
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, folder) }
  }
}
