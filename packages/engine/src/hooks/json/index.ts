export { appendItem, appendMember, type Layout, layoutOf, removeChild, replaceNode } from './edit.ts'
export {
  type ArrayNode,
  type JsonMistake,
  type JsonNode,
  memberOf,
  type ObjectNode,
  parseJson,
  placeOf,
} from './tree.ts'
