import { type SseFrame, SseReader } from '@panoptes/schema'

/** The frames of a body as they come. */
export async function* framesOf(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
): AsyncGenerator<SseFrame, undefined> {
  const reader = new SseReader()
  const decoder = new TextDecoder()
  for await (const bytes of body) yield* reader.take(decoder.decode(bytes, { stream: true }))
  yield* reader.take(decoder.decode())
}
