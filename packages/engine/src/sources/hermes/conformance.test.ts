import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describeSource } from '../conformance/describe-source.ts'
import { startWriter } from '../conformance/writer.ts'
import { fixture, makeState, type State } from './hermes.test-kit.ts'
import { hermesSource } from './index.ts'

for (const journal of ['wal', 'delete'] as const)
  describeSource(`hermes (${journal})`, {
    open: (home) => {
      let made: State | undefined
      const state = () => {
        made ??= makeState(home, { journal })
        return made
      }
      const writers: (() => void)[] = []
      return {
        source: hermesSource(home),
        make: (sessions) => {
          const { db, session, message } = state()
          db.exec('BEGIN')
          for (const [id, texts] of sessions) {
            session({ id })
            for (const content of texts) message({ session_id: id, content })
          }
          db.exec('COMMIT')
        },
        append: (id, content) => state().message({ session_id: id, content }),
        cut: () => {
          state().db.close()
          made = undefined
          truncateSync(join(home, 'state.db'), 100_000)
        },
        garble: (id, after) => {
          state().db.exec(`INSERT INTO messages (session_id, role, content, timestamp)
            VALUES ('${id}', 'user', CAST(x'e9ffc3' AS TEXT), 1790000000), ('${id}', 'user', x'e9ffc3', 1790000000)`)
          state().message({ session_id: id, content: after })
        },
        remove: (id) =>
          state().db.exec(
            `DELETE FROM messages WHERE session_id = '${id}'; DELETE FROM sessions WHERE id = '${id}'`,
          ),
        write: async () => {
          const { stop, kill } = await startWriter(process.execPath, [
            fixture('writer.ts'),
            join(home, 'state.db'),
            String(process.pid),
          ])
          writers.push(kill)
          return async () => (JSON.parse(await stop()) as { commits: number }).commits
        },
        close: () => {
          for (const kill of writers) kill()
          made?.db.close()
        },
      }
    },
  })
