import { randomUUID } from 'node:crypto'
import { redactText } from '@panoptes/engine/redact'
import type { Conversations, StoredConversation } from '@panoptes/engine/store'
import type { ChatInput, FileInput, Result, RuntimeId } from '@panoptes/schema'
import { isPrivate } from '@panoptes/schema/reading'
import { failure, success } from '@panoptes/schema/result'
import type { BuildContext } from './context/port.ts'
import { windowChars } from './context/window.ts'
import type { RunDetails } from './live-reporter.ts'
import { conversationNotFound, createMessage, describeFiles } from './new-conversation.ts'
import { LiveRun } from './run/live-run.ts'
import { recoverRuns } from './run/recover-runs.ts'
import { type RunningRun, startRun } from './run/run.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'

export interface RunOptions {
  readonly conversations: Conversations
  readonly build: BuildContext
  readonly folder: string
  readonly budgetTokens: number
  readonly approvalSeconds: number
  /** Called for every run as it begins, so that Live can follow it. */
  readonly onRun?: ((run: LiveRun, about: RunDetails) => void) | undefined
  /**
   * Whether the usage of a runtime is counted with the conversation. It is not if the runtime
   * records its own usage; Jarvis' usage always is.
   */
  readonly isCountedHere?: ((runtime: RuntimeId) => boolean) | undefined
  /** Checks whether a template of this name exists, before anything is stored. */
  readonly hasTemplate?: ((name: string) => Promise<boolean>) | undefined
}

export interface ActiveRun extends RunningRun {
  readonly stop: AbortController
}

/** Chooses the runtime that answers in a conversation. */
type ChooseRuntime = (
  wanted: RuntimeId | undefined,
  conversation: StoredConversation,
) => Promise<Result<RuntimeAdapter>>

/** Stores a message and the beginning of its answer, and starts the run that answers it. */
export async function beginRun(
  options: RunOptions,
  choose: ChooseRuntime,
  id: string,
  input: ChatInput,
): Promise<Result<ActiveRun>> {
  const { conversations, folder, build, budgetTokens, approvalSeconds, onRun } = options
  const [stored, attached] = await Promise.all([
    conversations.window(id, { chars: windowChars(budgetTokens), before: input.replaces }),
    resolveFiles(conversations, input),
  ])
  if (!stored.ok) return stored
  if (!attached.ok) return attached
  const files = attached.value
  if (stored.value === null) return conversationNotFound(id)
  const picked = await choose(input.runtime, stored.value)
  if (!picked.ok) return picked
  if (input.template && (await options.hasTemplate?.(input.template)) === false)
    return failure('invalid', `Unknown template: ${input.template}.`)
  const conversation = stored.value
  const adapter = picked.value
  const run_id = `run-${randomUUID()}`
  const model = input.model ?? (isFor(adapter, input, conversation) ? conversation.model : null)
  // Redaction comes first, because a truncated key would not be recognized as one.
  const title = deriveTitle(redactText(input.message).text)
  const isCountedHere = adapter.id === 'jarvis' || (options.isCountedHere?.(adapter.id) ?? false)
  if (isPrivate(conversation) && !isCountedHere)
    return failure(
      'invalid',
      `${adapter.title} keeps its own record that everyone in the space can read. Share the conversation first, or choose another runtime.`,
    )
  const user = createMessage('user', { content: input.message, files: describeFiles(files) })
  const answer = createMessage('assistant', {
    runtime: adapter.id,
    model: model ?? adapter.model(),
    run_id,
    status: 'partial',
    ...(isCountedHere && { is_counted_here: true }),
  })
  const opening = {
    conversation: id,
    run_id,
    runtime: adapter.id,
    model,
    user,
    answer,
    files,
    replaces: input.replaces,
    title,
  }
  const stop = new AbortController()
  // The context is built while the message is being stored.
  const context = build({
    conversation,
    runtime: adapter.id,
    message: input.message,
    files,
    template: input.template ?? null,
    folder,
    signal: stop.signal,
    budgetTokens,
  })
  context.catch(() => undefined)
  let began = await conversations.begin(opening)
  if (!began.ok && began.code === 'busy') {
    // An earlier run may have no stored end: storing it failed, or the process ended first.
    await recoverRuns(conversations, { only: (one) => one === id })
    began = await conversations.begin(opening)
  }
  if (!began.ok) {
    stop.abort()
    return began
  }
  const run = new LiveRun({ conversation_id: id, run_id, runtime: adapter.id })
  run.put('metadata', {
    message_id: answer.id,
    user_message_id: user.id,
    model: answer.model,
    state_revision: began.value.state_revision,
  })
  onRun?.(run, {
    title: conversation.title || title,
    message: input.message,
    first: conversation.first_runtime ?? adapter.id,
    isCountedHere,
    isPrivate: isPrivate(conversation),
  })
  const running = startRun({
    run,
    adapter,
    conversations,
    conversation,
    user,
    answer,
    request: {
      message: input.message,
      files,
      folder,
      model,
      owner: conversation.owner ?? null,
      isPrivate: isPrivate(conversation),
    },
    context,
    approvalSeconds,
    stop,
    stateRevision: began.value.state_revision,
  })
  return success({ ...running, stop })
}

/** A message that replaces another keeps its files, unless it lists its own. */
const resolveFiles = async (
  conversations: Conversations,
  { files, replaces }: ChatInput,
): Promise<Result<readonly FileInput[]>> =>
  files !== undefined || replaces === undefined ? success(files ?? []) : conversations.files(replaces)

/** A chosen model applies to the runtime it was chosen for, not to others. */
const isFor = ({ id }: RuntimeAdapter, input: ChatInput, { runtime }: StoredConversation): boolean =>
  runtime === null ? input.runtime === undefined : runtime === id

const LONGEST = 60

/** Returns the first words of a message as the conversation's title. */
function deriveTitle(message: string): string {
  const line = message.trim().split('\n', 1)[0]?.replace(/\s+/g, ' ') ?? ''
  if (line.length <= LONGEST) return line
  const cut = line.slice(0, LONGEST)
  const at = cut.lastIndexOf(' ')
  return `${cut.slice(0, at > 20 ? at : LONGEST)}…`
}
