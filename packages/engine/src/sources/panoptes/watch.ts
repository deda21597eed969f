import { hash } from 'node:crypto'
import { watchDatabases } from '../database/watch.ts'
import { conversationsIn } from './list.ts'
import type { ConversationRow } from './rows.ts'

type List = () => AsyncIterable<readonly ConversationRow[]>

/** The file changes with every event of any agent: it is told only when a conversation did. */
export function watchConversations(file: string, list: List, changed: () => void): () => void {
  let ended = false
  let known: string | null = null
  let looking = Promise.resolve()
  const look = async (isFirst: boolean) => {
    const seen = await stateOf(file, list)
    if (ended) return
    if (!isFirst && (seen === null || seen !== known)) changed()
    known = seen
  }
  const next = (isFirst: boolean) => {
    looking = looking.then(() => (ended ? undefined : look(isFirst)))
  }
  next(true)
  const end = watchDatabases(
    () => Promise.resolve([file]),
    () => next(false),
  )
  return () => {
    ended = true
    end()
  }
}

/** Null where it cannot be told now. */
const stateOf = async (file: string, list: List): Promise<string | null> => {
  try {
    const listed = await conversationsIn(file, list())
    return hash('sha1', listed.map(({ id, fingerprint }) => `${id} ${fingerprint}`).join('\n'))
  } catch {
    return null
  }
}
