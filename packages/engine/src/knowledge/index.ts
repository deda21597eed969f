export {
  type FoundKnowledge,
  type Knowledge,
  type KnowledgeOptions,
  type KnowledgeRefreshed,
  openKnowledge,
  type Passage,
} from './open.ts'
export { knowledgeFolders } from './walk.ts'
