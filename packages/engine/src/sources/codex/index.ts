import { relative } from 'node:path'
import { toFailure } from '../failures.ts'
import type { ListRecord, SessionFiles, SessionSource } from '../port.ts'
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
    files: rolloutFiles(home, library),
    watch: (changed) => watchHome(home, changed),
  }
}

/** A thread and its sub-agents have a rollout each. */
const rolloutFiles = (home: string, library: Library): SessionFiles => ({
  root: home,
  list: async ({ id, place }) => {
    const thread = (await library.recent()).threads.get(id)
    return [place, ...(thread?.agents ?? []).map(({ path }) => path)].map((path) => relative(home, path))
  },
})

async function* listed(home: string, library: Library, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    yield* listThreads(home, library, signal)
  } catch (error) {
    yield { kind: 'failed', failure: toFailure(error, home) }
  }
}
