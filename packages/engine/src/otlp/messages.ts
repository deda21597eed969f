/** How the messages of OTLP are laid out in protobuf, as far as they are used: what is not named here is passed over. */
export const MESSAGES = {
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

export type Scalar =
  | 'string'
  | 'hex'
  | 'base64'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'fixed32'
  | 'fixed64'
  | 'double'
export type Field =
  | readonly [number: number, type: string]
  | readonly [number: number, type: string, repeated: 'many']
export type MessageName = keyof typeof MESSAGES

export const isMessage = (type: string): type is MessageName => Object.hasOwn(MESSAGES, type)

export const fieldsOf = (name: MessageName): readonly (readonly [string, Field])[] =>
  Object.entries(MESSAGES[name])
