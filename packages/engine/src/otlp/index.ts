export {
  type AnyValue,
  type KeyValue,
  type OtlpSpan,
  type ResourceSpans,
  STATUS_ERROR,
  type TracesRequest,
  type TracesResponse,
  toAttributes,
} from './form.ts'
export { fromProtobuf, toProtobuf } from './protobuf.ts'
