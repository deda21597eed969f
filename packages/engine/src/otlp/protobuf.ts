import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { type Failure, failure, type Result, success } from '@panoptes/schema/result'
import type { RpcStatus, TracesRequest, TracesResponse } from './form.ts'
import { type Field, fieldsOf, isMessage, MESSAGES, type MessageName, type Scalar } from './messages.ts'

/** An empty message takes two bytes on the wire and a hundred in memory. */
const MOST_PARTS = 1_000_000
const DEEPEST = 64

type Forms = {
  readonly TracesRequest: TracesRequest
  readonly TracesResponse: TracesResponse
  readonly RpcStatus: RpcStatus
}

/** A message in the form it has in JSON. */
export function fromProtobuf<N extends keyof Forms>(name: N, bytes: Uint8Array): Result<Forms[N]> {
  const budget: Budget = { parts: MOST_PARTS }
  try {
    const reader = new BinaryReader(bytes)
    const read = readMessage(reader, reader.len, name, { budget, depth: 0 })
    return success(read as Forms[N])
  } catch (error) {
    return broken(error)
  }
}

export function toProtobuf<N extends keyof Forms>(name: N, message: Forms[N]): Uint8Array {
  const writer = new BinaryWriter()
  writeMessage(writer, name, message as Fields)
  return writer.finish()
}

const broken = (error: unknown): Failure =>
  failure(
    'invalid',
    `This is no OTLP in protobuf: ${error instanceof Error ? error.message : 'it is broken'}`,
  )

type Fields = Readonly<Record<string, unknown>>

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
    const known = byNumber(name).get(number)
    if (known === undefined) {
      if (wire === WireType.StartGroup) throw new Error('it has groups')
      reader.skip(wire, number)
      continue
    }
    const [field, [, type, many]] = known
    if (wire !== wireOf(type)) throw new Error(`${name}.${field} is of another type`)
    const value = isMessage(type)
      ? readMessage(reader, reader.uint32() + reader.pos, type, { budget, depth: depth + 1 })
      : readScalar(reader, type as Scalar)
    if (many === undefined) fields[field] = value
    else if (Array.isArray(fields[field])) fields[field].push(value)
    else fields[field] = [value]
  }
  if (reader.pos !== end) throw new Error('a part of it is longer than the whole')
  return fields
}

const numbered = new Map<MessageName, ReadonlyMap<number, readonly [string, Field]>>()

function byNumber(name: MessageName): ReadonlyMap<number, readonly [string, Field]> {
  const known = numbered.get(name)
  if (known !== undefined) return known
  const made = new Map(fieldsOf(name).map((entry) => [entry[1][0], entry] as const))
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
const wireOf = (type: string): WireType => WIRES[type] ?? WireType.LengthDelimited

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
      writer.tag(number, wireOf(type))
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
