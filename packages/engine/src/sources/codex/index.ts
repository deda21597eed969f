import { toFailure } from '../failures.ts'
import type { ListRecord, SessionSource } from '../port.ts'
import { listThreads } from './list.ts'
import { codexHome } from './places.ts'
import { readThread } from './read.ts'
import { Library } from './thread-index.ts'
import { watchHome } from './watch.ts'

export { codexHome } from './places.ts'

/** The rollouts of Codex. A thread together with its sub-agents is one session. */
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
    yield { kind: 'failed', failure: toFailure(error, home) }
  }
}
