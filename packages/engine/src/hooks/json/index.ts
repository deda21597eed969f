export { appendItem, appendMember, detectLayout, type Layout, removeChild, replaceNode } from './edit.ts'
export {
  type ArrayNode,
  findMember,
  type JsonMistake,
  type JsonNode,
  type ObjectNode,
  parseJson,
  toPosition,
} from './tree.ts'
