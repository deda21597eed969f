import { redactText } from '@panoptes/engine/redact'
import { type Fold, type FoldRun, ownFingerprint } from '@panoptes/engine/sources'
import { hermesName } from '@panoptes/engine/sources/tool-names'
import type { ContentBlock, Message, Session } from '@panoptes/schema'
import { ContributionScan, type MetricMessage } from '../contribution.ts'
import type { Scanned } from '../history.ts'
import { MOST_SKIPPED_IN_ONE, type Skip } from '../skips.ts'

export const CONTRIBUTION = 'contribution'

/** Raise this when the same session would give another contribution. */
const VERSION = 1

/** Counts what a session contributes to achievements. Sources in `except` are counted from their own rows. */
export const contributionFold = (except: ReadonlySet<string>): Fold => ({
  name: CONTRIBUTION,
  rules: String(VERSION),
  start: (source, listed) =>
    except.has(source) ? undefined : startContribution(source, listed.id, ownFingerprint(listed)),
})

function startContribution(source: string, id: string, fingerprint: string): FoldRun {
  const scan = new ContributionScan()
  const reader = new MessageReader()
  const skipped: Skip[] = []
  let messages = 0
  return {
    take: (record) => {
      if (record.kind === 'skipped' && skipped.length < MOST_SKIPPED_IN_ONE)
        skipped.push({ place: record.place, reason: record.reason })
      if (record.kind !== 'message') return
      messages += 1
      scan.message(reader.toMessage(record.message), record.message.ts)
    },
    end: ({ title, model, started_at, last_at }: Session) => {
      const passed = scan.passed()
      const value: Scanned = {
        contribution: {
          session_id: id,
          title: redactText(title ?? 'Untitled').text,
          source,
          model: model === null ? null : redactText(model).text,
          started_at,
          last_at,
          values: scan.values(),
          ...(skipped.length > 0 && { skipped }),
          ...(passed && { passed }),
        },
        messages,
      }
      return { version: `${VERSION} ${fingerprint}`, value }
    },
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
