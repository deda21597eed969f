import { hash } from 'node:crypto'
import { columnText } from '../database/text.ts'
import type { Listed } from '../port.ts'
import { placeOf } from './places.ts'
import type { ConversationRow } from './rows.ts'

/**
 * The newest first. Whatever changes in a conversation is told in its own row too, with the one exception of an answer while it is
 * being written, and that is read when it ended.
 */
export async function conversationsIn(
  place: string,
  pages: AsyncIterable<readonly ConversationRow[]>,
): Promise<readonly Listed[]> {
  const found: (Listed & { readonly at: number })[] = []
  for await (const rows of pages)
    for (const { id, at, doc, newest } of rows) {
      const fingerprint = hash('sha1', `${columnText(doc)}\u0002${newest}`, 'base64url')
      found.push({ id, fingerprint, place: placeOf(place, id), at })
    }
  return found
    .sort((a, b) => b.at - a.at)
    .map(({ id, fingerprint, place: where }) => ({ id, fingerprint, place: where }))
}
