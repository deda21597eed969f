import fc from 'fast-check'
import reader from 'otlp-reader/build/src/generated/root.js'
import { describe, expect, it } from 'vitest'
import type { TracesRequest } from './form.ts'
import { toAttributes } from './form.ts'
import { fromProtobuf, toProtobuf } from './protobuf.ts'

interface Theirs {
  readonly decode: (bytes: Uint8Array) => object
  readonly verify: (message: object) => string | null
  readonly encode: (message: object) => { readonly finish: () => Uint8Array }
}
interface Root {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: { readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Theirs } } }
    }
  }
}
const { ExportTraceServiceRequest } = (reader as unknown as Root).opentelemetry.proto.collector.trace.v1

const plain = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.string(), { maxLength: 2 }),
)
const attributes = fc.dictionary(fc.string({ minLength: 1 }), plain, { maxKeys: 3 }).map(toAttributes)
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'))
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const span = fc.record({
  traceId: hex(16),
  spanId: hex(8),
  name: fc.string(),
  kind: fc.nat({ max: 5 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  events: fc.array(fc.record({ timeUnixNano: nanos, name: fc.string(), attributes }), { maxLength: 1 }),
  status: fc.record({ code: fc.nat({ max: 2 }), message: fc.string() }),
})
const request: fc.Arbitrary<TracesRequest> = fc
  .record({ attributes, name: fc.string(), spans: fc.array(span, { maxLength: 3 }) })
  .map((made) => ({
    resourceSpans: [
      {
        resource: { attributes: made.attributes },
        scopeSpans: [{ scope: { name: made.name }, spans: made.spans }],
      },
    ],
  }))

/** Empty lists are not encoded. */
const withoutEmpty = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => (Array.isArray(each) && each.length === 0 ? undefined : each)),
  )

describe('traces in protobuf', () => {
  it('decode to what was encoded', () => {
    fc.assert(
      fc.property(request, (made) => {
        const read = fromProtobuf('TracesRequest', toProtobuf('TracesRequest', made))
        expect(read.ok && withoutEmpty(read.value)).toEqual(withoutEmpty(made))
      }),
    )
  })

  it("are compatible with OpenTelemetry's own encoder and decoder", () => {
    fc.assert(
      fc.property(request, (made) => {
        const bytes = toProtobuf('TracesRequest', made)
        const theirs = ExportTraceServiceRequest.decode(bytes)
        expect(ExportTraceServiceRequest.verify(theirs)).toBeNull()
        const again = ExportTraceServiceRequest.encode(theirs).finish()
        const read = fromProtobuf('TracesRequest', again)
        expect(read.ok && withoutEmpty(read.value)).toEqual(withoutEmpty(made))
      }),
    )
  })

  it('are rejected without throwing when they are malformed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(typeof fromProtobuf('TracesRequest', bytes).ok).toBe('boolean')
      }),
      { numRuns: 1_000 },
    )
    fc.assert(
      fc.property(request, fc.nat(), fc.nat({ max: 255 }), (made, at, byte) => {
        const bytes = toProtobuf('TracesRequest', made)
        if (bytes.length > 0) bytes[at % bytes.length] = byte
        expect(typeof fromProtobuf('TracesRequest', bytes).ok).toBe('boolean')
        const cut = bytes.subarray(0, at % (bytes.length + 1))
        expect(typeof fromProtobuf('TracesRequest', cut).ok).toBe('boolean')
      }),
      { numRuns: 300 },
    )
  })

  it('are rejected when they nest without end or have too many parts', () => {
    let deep = new Uint8Array()
    for (let n = 0; n < 200; n += 1) {
      const array = Buffer.concat([Buffer.from([0x0a, ...varint(deep.length)]), deep])
      deep = Buffer.concat([Buffer.from([0x2a, ...varint(array.length)]), array])
    }
    const wrap = (field: number, inner: Uint8Array) =>
      Buffer.concat([Buffer.from([field * 8 + 2, ...varint(inner.length)]), inner])
    const inSpan = (attribute: Uint8Array) => wrap(1, wrap(2, wrap(2, attribute)))
    expect(fromProtobuf('TracesRequest', inSpan(wrap(9, wrap(2, deep))))).toMatchObject({
      ok: false,
      message: expect.stringContaining('nested deeper'),
    })
    const many = Buffer.alloc(2_200_000)
    for (let at = 0; at < many.length; at += 2) many[at] = 0x4a
    const began = performance.now()
    expect(fromProtobuf('TracesRequest', inSpan(many))).toMatchObject({
      ok: false,
      message: expect.stringContaining('more than'),
    })
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}
