import { OnDemandThread, Thread, type Work } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { AchievementStore } from '../achievement-store-port.ts'
import type { AnnotationStore } from '../annotations-port.ts'
import type { Conversations } from '../conversations-port.ts'
import type { Forgetting } from '../forget-port.ts'
import { type ForgottenSessions, filterTemplateUses, filterTurns } from '../forgotten-sessions.ts'
import type { TemplateUses } from '../template-uses-port.ts'
import type { Turns } from '../turns-port.ts'
import type { ReaderCalls, Role, WorkerSetup, WriterCalls } from './messages.ts'

type Call<Calls> = <M extends keyof Calls>(
  method: M,
  args: Calls[M] extends (...args: infer A) => unknown ? A : never,
  work?: Work,
  /** Receives parts of a long list that arrive before the answer. */
  part?: (part: readonly unknown[]) => void,
) => Promise<Result<Calls[M] extends (...args: never[]) => infer R ? R : never>>

/** Describes how a store calls its threads. */
export interface Threaded {
  readonly ask: Call<ReaderCalls>
  readonly order: Call<WriterCalls>
}

type Calls = { readonly [method: string]: (...args: never[]) => unknown }

/** In the repository the worker runs from source; in the published package it lies beside the bundle. */
const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url)

export const createAnnotations = ({ ask, order }: Threaded): AnnotationStore => ({
  list: (query) => ask('marked', [query]),
  mark: (session, marks) => order('mark', [session, marks]),
  tags: () => ask('tags', []),
  filters: () => ask('filters', []),
  saveFilter: (name, query) => order('saveFilter', [name, query]),
  dropFilter: (name) => order('dropFilter', [name]),
})

export const createAchievementStore = ({ ask, order }: Threaded): AchievementStore => ({
  contributions: (scope, after, limit) => ask('contributions', [scope, after, limit]),
  contribute: (rows) => order('contribute', [rows]),
  drop: (scope) => order('dropContributions', [scope]),
  unlocks: (view) => ask('unlocks', [view]),
  unlock: (rows) => order('unlock', [rows]),
  lock: (view) => order('lock', [view]),
  notes: () => ask('achievementNotes', []),
  note: (name, value) => order('noteAchievement', [name, value]),
})

export const createTemplateUses = ({ ask, order }: Threaded, forgotten: ForgottenSessions): TemplateUses =>
  filterTemplateUses(
    {
      inject: (row) => order('inject', [row]),
      injections: (query) => ask('injections', [query]),
      note: (row) => order('noteTemplate', [row]),
      notes: () => ask('templateNotes', []),
    },
    forgotten,
  )

export const createTurns = ({ ask, order }: Threaded, forgotten: ForgottenSessions): Turns =>
  filterTurns(
    {
      keep: (turns) => order('keepTurns', [turns]),
      get: (id) => ask('turn', [id]),
      list: (query) => ask('turns', [query]),
    },
    forgotten,
  )

export const createConversations = ({ ask, order }: Threaded): Conversations => ({
  create: (head) => order('createConversation', [head]),
  get: (id) => ask('conversation', [id]),
  head: (id) => ask('conversationHead', [id]),
  list: (query) => ask('conversations', [query]),
  change: (id, change) => order('changeConversation', [id, change]),
  fork: (id, message, head) => order('forkConversation', [id, message, head]),
  begin: (run) => order('beginRun', [run]),
  progress: (run) => order('progressRun', [run]),
  end: (run) => order('endRun', [run]),
  events: (run) => ask('runEvents', [run]),
  // No other process can have the file.
  unended: async ({ others = false } = {}) => (others ? success([]) : ask('unendedRuns', [])),
  sendRemoteCommand: async () => failure('not_found', 'No other process works on this run.'),
  takeRemoteCommands: async () => success([]),
  window: (id, query) => ask('chatWindow', [id, query]),
  said: (id, query) => ask('saidMessages', [id, query]),
  setEpoch: (id, epoch) => order('setEpoch', [id, epoch]),
  setNextSummary: (id, next) => order('setNextSummary', [id, next]),
  setSent: (message, sent) => order('setSent', [message, sent]),
  sent: (conversation, message) => ask('sentMessage', [conversation, message]),
  files: (message) => ask('chatFiles', [message]),
  facts: (owner) => ask('facts', [owner]),
  remember: (fact, owner) => order('remember', [fact, owner]),
  forgetFact: (id, text) => order('forgetFact', [id, text]),
})

/** `settle` waits for appends under way; `cleared` is called when stored rows have changed. */
export const createForgetting = (
  { ask, order }: Threaded,
  forgotten: ForgottenSessions,
  { settle, cleared }: { readonly settle: () => Promise<void>; readonly cleared: () => void },
): Forgetting => ({
  has: ({ source, id }) => forgotten.has(source, id),
  forgotten: () => Promise.resolve(success(forgotten.all())),
  pending: () => ask('forgetting', []),
  begin: (sessions) => {
    for (const session of sessions) forgotten.add(session)
    return order('forgetBegin', [sessions])
  },
  remove: async (sessions, work) => {
    await settle()
    const removed = await order('forget', [sessions], work)
    cleared()
    return removed
  },
  end: (sessions) => order('forgetEnd', [sessions]),
})

const threadSetup = (role: Role, file: string) => ({
  script: SCRIPT,
  name: `store-${role}`,
  data: { role, file } satisfies WorkerSetup,
  what: `The store ${file}`,
})

/** The writer lives as long as the store, because it holds the lock on the file. */
export const startWriter = <C extends Calls>(file: string): Thread<C> =>
  new Thread<C>(threadSetup('writer', file))

export function threadOnDemand<C extends Calls & { close(): null }>(
  role: 'reader' | 'keeper',
  file: string,
): OnDemandThread<C> {
  const setup = threadSetup(role, file)
  return new OnDemandThread<C>({ ...setup, data: () => setup.data })
}
