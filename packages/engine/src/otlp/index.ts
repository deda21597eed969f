export { toAttributes } from './attributes.ts'
export {
  type AnyValue,
  type KeyValue,
  type OtlpSpan,
  type ResourceSpans,
  STATUS_ERROR,
  type TracesRequest,
  type TracesResponse,
} from './form.ts'
export { fromProtobuf, toProtobuf } from './protobuf.ts'
