import { redactText } from '@panoptes/engine/redact'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import { hermesName } from '@panoptes/engine/sources/tool-names'
import type { ContentBlock, Failure, Message, Session } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { ContributionScan, type MetricMessage } from './contribution.ts'
import type { Candidate, History, Scanned } from './history.ts'
import { MOST_SKIPPED_IN_ONE, type Skip } from './skips.ts'

/**
 * The sessions of any other source, by its messages. A copy stays a copy even after its original is
 * gone, because the original was counted.
 */
export function openSourceHistory(source: SessionSource): History {
  return {
    source: source.name,
    mark: () => undefined,
    list: async (signal) => {
      const sessions: Candidate[] = []
      let failed: Failure | undefined
      for await (const one of source.list(signal)) {
        if (one.kind === 'failed') failed = one.failure
        else sessions.push({ id: one.id, fingerprint: one.own ?? one.fingerprint, apart: false, about: one })
      }
      if (failed && sessions.length === 0) return failed
      return { sessions, skipped: failed ? [{ place: source.name, reason: failed.message }] : [] }
    },
    scan: async (batch, signal) => {
      const scanned: (Scanned | Failure)[] = []
      for (const one of batch) scanned.push(await scanSession(source, one, signal))
      return scanned
    },
    close: () => undefined,
  }
}

async function scanSession(
  source: SessionSource,
  { id, about }: Candidate,
  signal: AbortSignal,
): Promise<Scanned | Failure> {
  const scan = new ContributionScan()
  const reader = new MessageReader()
  const skipped: Skip[] = []
  let session: Session | undefined
  let count = 0
  for await (const record of source.read(about as Listed, signal)) {
    if (record.kind === 'failed') return record.failure
    if (record.kind === 'skipped' && skipped.length < MOST_SKIPPED_IN_ONE)
      skipped.push({ place: record.place, reason: record.reason })
    if (record.kind === 'session') session = record.session
    if (record.kind !== 'message') continue
    count += 1
    scan.message(reader.toMessage(record.message), record.message.ts)
  }
  if (session === undefined || signal.aborted)
    return failure('stopped', 'Stopped before the session was read.')
  const { title, model, started_at, last_at } = session
  const passed = scan.passed()
  return {
    contribution: {
      session_id: id,
      title: redactText(title ?? 'Untitled').text,
      source: source.name,
      model: model === null ? null : redactText(model).text,
      started_at,
      last_at,
      values: scan.values(),
      ...(skipped.length > 0 && { skipped }),
      ...(passed && { passed }),
    },
    messages: count,
  }
}

const MOST_CALLS = 10_000

/** Messages of any source as the metrics see them. */
class MessageReader {
  readonly #tools = new Map<string, string>()

  toMessage({ content }: Message): MetricMessage {
    const calls: string[] = []
    const inputs: unknown[] = []
    let result: string | undefined
    for (const block of content) {
      if (block.type === 'tool_call') {
        const name = hermesName(block.tool)
        calls.push(name)
        inputs.push(block.input)
        this.#remember(block.id, name)
      }
      if (block.type === 'tool_result') result = this.#tools.get(block.id)
    }
    return {
      text: content.map(searchableText).join('\n'),
      calls,
      ...(result === undefined ? {} : { result }),
      ...(inputs.length === 0 ? {} : { callsText: JSON.stringify(inputs) }),
    }
  }

  #remember(id: string, name: string): void {
    if (this.#tools.size >= MOST_CALLS) this.#tools.clear()
    this.#tools.set(id, name)
  }
}

/** Returns the text that is searched, which excludes thoughts. */
const searchableText = (block: ContentBlock): string =>
  block.type === 'text' || block.type === 'tool_result' ? block.text : ''
