import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSource } from '../conformance/describe-source.ts'
import { startWriter } from '../conformance/writer.ts'
import { panoptesSource } from './index.ts'
import { type ConversationStore, makeStore } from './panoptes.test-kit.ts'

const WRITER = fileURLToPath(new URL('./writer.child.ts', import.meta.url))

describeSource('panoptes', {
  open: (home) => {
    const file = join(home, 'ledger.db')
    let made: ConversationStore | undefined
    const store = () => {
      made ??= makeStore(file)
      return made
    }
    const writers: (() => void)[] = []
    return {
      source: panoptesSource(file),
      make: (sessions) => {
        const { db, conversation, message } = store()
        db.exec('BEGIN')
        for (const [id, texts] of sessions) {
          conversation(id)
          for (const content of texts) message(id, { content })
        }
        db.exec('COMMIT')
      },
      append: (id, content) => void store().message(id, { content }),
      cut: () => {
        store().db.close()
        made = undefined
        truncateSync(file, 200_000)
      },
      garble: (id, after) => {
        const doc =
          'CAST(\'{"id":"odd","role":"user","content":"\' AS BLOB) || x\'e9ffc3\' || CAST(\'"}\' AS BLOB)'
        store().db.exec(`INSERT INTO chat_messages (id, conversation, ts, doc) VALUES
          ('odd', '${id}', 1, CAST(${doc} AS TEXT)), ('odder', '${id}', 1, ${doc}), ('oddest', '${id}', 1, x'e9ffc3')`)
        store().message(id, { content: after })
      },
      remove: (id) =>
        store().db.exec(
          `DELETE FROM chat_messages WHERE conversation = '${id}'; DELETE FROM conversations WHERE id = '${id}'`,
        ),
      write: async (id) => {
        const { stop, kill } = await startWriter(process.execPath, [WRITER, file, id])
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
