export type { Chat, Ownership, RunStream } from './chat.ts'
export { type ContextParts, createContextBuilder } from './context/context-builder.ts'
export type {
  AskModel,
  LookUp,
  Passage,
  Recall,
  RecalledMessage,
  SearchResult,
} from './context/dependencies.ts'
export { createMemoryReader, userMemory } from './context/memory-files.ts'
export { knowledgeBrain, recalledMemory } from './context/recall-sections.ts'
export { createTemplateLoader } from './context/template.ts'
export { getConfiguredRuntime } from './default-runtime.ts'
export { createChatReporter, createPastRunReporter } from './live-reporter.ts'
export { openChat } from './open.ts'
export type { OwnData } from './own-tools/own-tools.ts'
export { ownTools } from './own-tools/own-tools.ts'
export { planByRules, refinePlan } from './plan/rules.ts'
export { recoverRuns } from './run/recover-runs.ts'
export { createAcpAdapter } from './runtimes/acp/adapter.ts'
export { acpAgents } from './runtimes/acp/find-agents.ts'
export { createHermes } from './runtimes/hermes/hermes.ts'
export { createJarvis } from './runtimes/jarvis/jarvis.ts'
export type { RuntimeAdapter, RuntimeEvent } from './runtimes/port.ts'
export { createShortlister } from './skills/shortlist.ts'
export { isCountedHere } from './usage-accounting.ts'
