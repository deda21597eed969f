import { failureOf } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { Library } from './library.ts'
import { listThreads } from './list.ts'
import { codexHome } from './places.ts'
import { readThread } from './read.ts'
import { watchHome } from './watch.ts'

export { codexHome } from './places.ts'

/** The rollouts of Codex: each thread with its sub-agents is a session. */
export function codexSource(home: string = codexHome()): SessionSource {
  const library = new Library(home)
  return {
    name: 'codex',
    list: (signal) => listed(home, library, signal),
    read: (one, signal) => readThread(library, one, signal),
    watch: (changed) => watchHome(home, changed),
  }
}

async function* listed(home: string, library: Library, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* listThreads(home, library, signal)
  } catch (error) {
    yield { kind: 'failed', failure: failureOf(error, home) }
  }
}
