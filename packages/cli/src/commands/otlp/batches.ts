import { attributesOf, type OtlpSpan, type TracesRequest } from '@panoptes/engine/otlp'
import { VERSION } from '../../version.ts'

const MOST_SPANS = 512
const MOST_LENGTH = 1_048_576

/** Spans in parts that any collector takes at once. */
export async function* batchesOf(
  source: string,
  spans: AsyncIterable<OtlpSpan>,
): AsyncGenerator<{ readonly request: TracesRequest; readonly spans: number }> {
  let batch: OtlpSpan[] = []
  let length = 0
  const taken = () => {
    const made = { request: requestOf(source, batch), spans: batch.length }
    batch = []
    length = 0
    return made
  }
  for await (const span of spans) {
    const own = JSON.stringify(span).length
    if (batch.length >= MOST_SPANS || (batch.length > 0 && length + own > MOST_LENGTH)) yield taken()
    batch.push(span)
    length += own
  }
  if (batch.length > 0) yield taken()
}

const requestOf = (source: string, spans: readonly OtlpSpan[]): TracesRequest => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ 'service.name': source }) },
      scopeSpans: [{ scope: { name: 'panoptes', version: VERSION }, spans }],
    },
  ],
})
