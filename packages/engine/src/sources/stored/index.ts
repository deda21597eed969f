import { conversationRowsIn, type LedgerPlace, schemaOf, transcriptsIn } from '@panoptes/engine/ledger'
import { conversationSource } from '../panoptes/index.ts'
import type { SessionSource } from '../port.ts'
import { storedSource } from './stored-source.ts'

/** What a hub has of each source, and the conversations of its ledger that everybody may see. */
export function storedSources(
  { url, space }: Extract<LedgerPlace, { readonly kind: 'postgres' }>,
  names: readonly string[],
): readonly SessionSource[] {
  const place = { url, schema: schemaOf(space) }
  const transcripts = transcriptsIn(place)
  return [
    ...names.map((name) => storedSource(transcripts, name)),
    conversationSource(conversationRowsIn(place)),
  ]
}
