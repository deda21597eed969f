import { hash } from 'node:crypto'
import { columnText } from '../database/text.ts'
import type { Listed } from '../port.ts'
import { formatPlace } from './places.ts'
import type { ConversationRow } from './rows.ts'

/**
 * Lists the newest conversation first. Every change of a conversation also changes its row, except for an
 * answer that is still being written; that is read when it is complete.
 */
export async function conversationsIn(
  place: string,
  pages: AsyncIterable<readonly ConversationRow[]>,
): Promise<readonly Listed[]> {
  const found: (Listed & { readonly at: number })[] = []
  for await (const rows of pages)
    for (const { id, at, doc, newest } of rows) {
      const fingerprint = hash('sha1', `${columnText(doc)}\u0002${newest}`, 'base64url')
      found.push({ id, fingerprint, place: formatPlace(place, id), at })
    }
  return found
    .sort((a, b) => b.at - a.at)
    .map(({ id, fingerprint, place: where }) => ({ id, fingerprint, place: where }))
}
