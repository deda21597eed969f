import { conversationRowsIn, type StoreLocation, spaceSchema, transcriptsIn } from '@panoptes/engine/store'
import { conversationSource } from '../panoptes/index.ts'
import type { SessionSource } from '../port.ts'
import { storedSource } from './uploaded-source.ts'

/** The uploaded sessions of each source on a hub, and the shared conversations of its store. */
export function storedSources(
  { url, space }: Extract<StoreLocation, { readonly kind: 'postgres' }>,
  names: readonly string[],
): readonly SessionSource[] {
  const place = { url, schema: spaceSchema(space) }
  const transcripts = transcriptsIn(place)
  return [
    ...names.map((name) => storedSource(transcripts, name)),
    conversationSource(conversationRowsIn(place)),
  ]
}
