import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Fields } from '@panoptes/schema/plain-object'
import { type Failure, failure, type Result, success } from '@panoptes/schema/result'
import type { RpcStatus, TracesRequest, TracesResponse } from './form.ts'

/**
 * An empty message takes two bytes on the wire and about a hundred in memory, so the number of parts is
 * limited.
 */
const MOST_PARTS = 1_000_000
const DEEPEST = 64

type Forms = {
  readonly TracesRequest: TracesRequest
  readonly TracesResponse: TracesResponse
  readonly RpcStatus: RpcStatus
}

/** Decodes a protobuf message into its JSON form. */
export function fromProtobuf<N extends keyof Forms>(name: N, bytes: Uint8Array): Result<Forms[N]> {
  const budget: Budget = { parts: MOST_PARTS }
  try {
    const reader = new BinaryReader(bytes)
    const read = readMessage(reader, reader.len, name, { budget, depth: 0 })
    return success(read as Forms[N])
  } catch (error) {
    return createInvalidFailure(error)
  }
}

export function toProtobuf<N extends keyof Forms>(name: N, message: Forms[N]): Uint8Array {
  const writer = new BinaryWriter()
  writeMessage(writer, name, message as Fields)
  return writer.finish()
}

const createInvalidFailure = (error: unknown): Failure =>
  failure('invalid', `This is not OTLP protobuf: ${error instanceof Error ? error.message : 'it is broken'}`)

interface Budget {
  parts: number
}

interface Within {
  readonly budget: Budget
  readonly depth: number
}

function readMessage(reader: BinaryReader, end: number, name: MessageName, within: Within): Fields {
  const { budget, depth } = within
  budget.parts -= 1
  if (budget.parts < 0) throw new Error(`it has more than ${MOST_PARTS} parts`)
  if (depth > DEEPEST) throw new Error(`it is nested deeper than ${DEEPEST} levels`)
  if (end > reader.len) throw new Error('it ends early')
  const fields: Record<string, unknown> = {}
  while (reader.pos < end) {
    const [number, wire] = reader.tag()
    const match = byNumber(name).get(number)
    if (match === undefined) {
      if (wire === WireType.StartGroup) throw new Error('it has groups')
      reader.skip(wire, number)
      continue
    }
    const [field, [, type, many]] = match
    if (wire !== wireType(type)) throw new Error(`${name}.${field} is of another type`)
    const value = isMessage(type)
      ? readMessage(reader, reader.uint32() + reader.pos, type, { budget, depth: depth + 1 })
      : readScalar(reader, type as Scalar)
    if (many === undefined) fields[field] = value
    else if (Array.isArray(fields[field])) fields[field].push(value)
    else fields[field] = [value]
  }
  if (reader.pos !== end) throw new Error('a field is longer than the message')
  return fields
}

const numbered = new Map<MessageName, ReadonlyMap<number, readonly [string, Field]>>()

function byNumber(name: MessageName): ReadonlyMap<number, readonly [string, Field]> {
  const cached = numbered.get(name)
  if (cached !== undefined) return cached
  const made = new Map(messageFields(name).map((entry) => [entry[1][0], entry] as const))
  numbered.set(name, made)
  return made
}

const WIRES: Readonly<Record<string, WireType>> = {
  bool: WireType.Varint,
  int32: WireType.Varint,
  int64: WireType.Varint,
  fixed32: WireType.Bit32,
  fixed64: WireType.Bit64,
  double: WireType.Bit64,
}
const wireType = (type: string): WireType => WIRES[type] ?? WireType.LengthDelimited

function readScalar(reader: BinaryReader, type: Scalar): unknown {
  switch (type) {
    case 'string':
      return reader.string()
    case 'hex':
      return Buffer.from(reader.bytes()).toString('hex')
    case 'base64':
      return Buffer.from(reader.bytes()).toString('base64')
    case 'bool':
      return reader.bool()
    case 'int32':
      return reader.int32()
    case 'int64':
      return String(reader.int64())
    case 'fixed32':
      return reader.fixed32()
    case 'fixed64':
      return String(reader.fixed64())
    case 'double':
      return reader.double()
  }
}

function writeMessage(writer: BinaryWriter, name: MessageName, message: Fields): void {
  for (const field of Object.keys(message)) {
    const layout: Field | undefined = (MESSAGES[name] as Readonly<Record<string, Field>>)[field]
    const value = message[field]
    if (layout === undefined || value === undefined) continue
    const [number, type] = layout
    for (const each of layout.length === 3 ? (value as readonly unknown[]) : [value]) {
      writer.tag(number, wireType(type))
      if (isMessage(type)) {
        writer.fork()
        writeMessage(writer, type, each as Fields)
        writer.join()
      } else writeScalar(writer, type as Scalar, each)
    }
  }
}

function writeScalar(writer: BinaryWriter, type: Scalar, value: unknown): void {
  switch (type) {
    case 'string':
      writer.string(String(value).toWellFormed())
      return
    case 'hex':
    case 'base64':
      writer.bytes(Buffer.from(String(value), type))
      return
    case 'bool':
      writer.bool(value === true)
      return
    case 'int32':
      writer.int32(Number(value))
      return
    case 'int64':
      writer.int64(String(value))
      return
    case 'fixed32':
      writer.fixed32(Number(value))
      return
    case 'fixed64':
      writer.fixed64(String(value))
      return
    case 'double':
      writer.double(Number(value))
  }
}

/** The protobuf layout of the OTLP messages, as far as Panoptes uses them. Unlisted fields are skipped. */
const MESSAGES = {
  TracesRequest: { resourceSpans: [1, 'ResourceSpans', 'many'] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans', 'many'] },
  Resource: { attributes: [1, 'KeyValue', 'many'] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, 'Span', 'many'] },
  Scope: { name: [1, 'string'], version: [2, 'string'] },
  Span: {
    traceId: [1, 'hex'],
    spanId: [2, 'hex'],
    parentSpanId: [4, 'hex'],
    name: [5, 'string'],
    kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'KeyValue', 'many'],
    events: [11, 'Event', 'many'],
    status: [15, 'Status'],
    flags: [16, 'fixed32'],
  },
  Event: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, 'KeyValue', 'many'] },
  Status: { message: [2, 'string'], code: [3, 'int32'] },
  KeyValue: { key: [1, 'string'], value: [2, 'AnyValue'] },
  AnyValue: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
    bytesValue: [7, 'base64'],
  },
  ArrayValue: { values: [1, 'AnyValue', 'many'] },
  KeyValueList: { values: [1, 'KeyValue', 'many'] },
  TracesResponse: { partialSuccess: [1, 'PartialSuccess'] },
  PartialSuccess: { rejectedSpans: [1, 'int64'], errorMessage: [2, 'string'] },
  RpcStatus: { code: [1, 'int32'], message: [2, 'string'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Field>>>>

type Scalar = 'string' | 'hex' | 'base64' | 'bool' | 'int32' | 'int64' | 'fixed32' | 'fixed64' | 'double'
type Field =
  | readonly [number: number, type: string]
  | readonly [number: number, type: string, repeated: 'many']
type MessageName = keyof typeof MESSAGES

const isMessage = (type: string): type is MessageName => Object.hasOwn(MESSAGES, type)

const messageFields = (name: MessageName): readonly (readonly [string, Field])[] =>
  Object.entries(MESSAGES[name])
