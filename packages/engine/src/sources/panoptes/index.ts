import type { ListRecord, SessionSource } from '../port.ts'
import { rowsInFile } from './file-rows.ts'
import { conversationsIn } from './list.ts'
import { storeFile } from './places.ts'
import { findMessages, readConversation } from './read.ts'
import type { ConversationRows } from './rows.ts'

export { storeFile } from './places.ts'

/** The conversations in the store, read like those of any other agent. */
export const panoptesSource = (file: string = storeFile()): SessionSource =>
  conversationSource(rowsInFile(file))

export const conversationSource = (rows: ConversationRows): SessionSource => ({
  name: 'panoptes',
  list: (signal) => listed(rows, signal),
  read: (one, signal) => readConversation(rows, one, signal),
  find: (one, ids) => findMessages(rows, one, ids),
  watch: (changed) => rows.watch(() => changed()),
})

async function* listed(rows: ConversationRows, signal?: AbortSignal): AsyncGenerator<ListRecord> {
  try {
    for (const one of await conversationsIn(rows.place, rows.list(signal))) yield { kind: 'listed', ...one }
  } catch (error) {
    yield { kind: 'failed', failure: rows.toFailure(error) }
  }
}
