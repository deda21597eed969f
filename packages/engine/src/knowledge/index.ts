export { knowledgeFolders } from './folders.ts'
export {
  type FoundKnowledge,
  type Knowledge,
  type KnowledgeOptions,
  type KnowledgeRefreshed,
  openKnowledge,
  type Passage,
} from './open.ts'
