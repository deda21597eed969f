import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSource } from '../conformance/describe-source.ts'
import { startWriter } from '../conformance/writer.ts'
import { openCodeSource } from './index.ts'
import { addPrompt, makeStore, type Store } from './opencode.test-kit.ts'

const WRITER = fileURLToPath(new URL('./writer.child.ts', import.meta.url))

for (const journal of ['wal', 'delete'] as const)
  describeSource(`opencode (${journal})`, {
    open: (home) => {
      let made: Store | undefined
      const store = () => {
        made ??= makeStore(home, 'opencode.db', journal)
        return made
      }
      const writers: (() => void)[] = []
      return {
        source: openCodeSource(home),
        make: (sessions) => {
          const { db, session } = store()
          db.exec('BEGIN')
          for (const [id, texts] of sessions) {
            session({ id })
            for (const text of texts) addPrompt(store(), id, text)
          }
          db.exec('COMMIT')
        },
        append: (id, text) => addPrompt(store(), id, text),
        cut: () => {
          store().db.close()
          made = undefined
          truncateSync(join(home, 'opencode.db'), 100_000)
        },
        garble: (id, after) => {
          const message = store().message(id, { role: 'user' })
          store().db.exec(`INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES
            ('a', '${message}', '${id}', 1, 1, CAST(CAST('{"type":"text","text":"' AS BLOB) || x'e9ffc3' || CAST('"}' AS BLOB) AS TEXT)),
            ('b', '${message}', '${id}', 1, 1, x'e9ffc3')`)
          addPrompt(store(), id, after)
        },
        remove: (id) =>
          store().db.exec(
            `DELETE FROM part WHERE session_id = '${id}'; DELETE FROM message WHERE session_id = '${id}';
             DELETE FROM session WHERE id = '${id}'`,
          ),
        write: async (id) => {
          const { stop, kill } = await startWriter(process.execPath, [WRITER, join(home, 'opencode.db'), id])
          writers.push(kill)
          return async () => Number(await stop())
        },
        close: () => {
          for (const kill of writers) kill()
          made?.db.close()
        },
      }
    },
  })
