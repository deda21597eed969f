import type { SessionRecord } from '@panoptes/engine/sources'
import type { Account, Message, SessionAgent } from '@panoptes/schema'

/** What an agent writes down after its end was written down still belongs to what ended. */
const SLACK_MS = 1_000

/** What a call that makes an agent answers at once, while the agent is at work. */
const LAUNCHED = /^\s*(?:Async|Remote|Background) (?:agent|task|session)s? (?:was )?launched/i
const LAUNCHED_STATUS = /^\s*\{?\s*"?(?:isAsync"?\s*:\s*true|status"?\s*:\s*"?(?:async|remote)_launched)/
/** Sources in whose sessions such a call never waits for the agent. */
const NEVER_WAITS: ReadonlySet<string> = new Set(['codex'])

const NOTICE = /^\s*<task-notification>/
const TASK = /<task-id>([^<]{1,200})<\/task-id>/
const STATUS = /<status>\s*(?:completed|failed|killed|stopped|cancelled)\s*<\/status>/
const LONGEST_NAME = 512
/** Of a notice, in characters: what it says of itself comes before what the agent says. */
const HEAD = 4_000

/** Which agents of a session came to their end, by what the session itself tells. */
export class Ends {
  readonly #waits: boolean
  readonly #calls = new Map<string, string>()
  /** When each call had its result; nothing where the time is not told. */
  readonly #results = new Map<string, number | null>()
  readonly #reported = new Map<string, number | null>()
  #sessionEnd: number | null = null

  constructor(source: string) {
    this.#waits = !NEVER_WAITS.has(source)
  }

  take(record: SessionRecord): void {
    if (record.kind === 'agent') this.#met(record.agent)
    else if (record.kind === 'message') this.#saw(record.message)
    else if (record.kind === 'session') this.#sessionEnd = record.session.ended_at
  }

  /** The account with those finished of whom it is told. One that went on after its end is at work again. */
  told(account: Account): Account {
    const agents = account.agents.map((agent) => {
      const call = this.#calls.get(agent.agent_id)
      const ends = [
        this.#sessionEnd ?? undefined,
        this.#reported.get(agent.agent_id),
        call === undefined ? undefined : this.#results.get(call),
      ]
      const finished = ends.some(
        (end) =>
          end !== undefined && (end === null || agent.last_at === null || end + SLACK_MS >= agent.last_at),
      )
      return { ...agent, finished }
    })
    return { ...account, agents }
  }

  #met({ id, tool_use_id: call }: SessionAgent): void {
    if (call !== null) this.#calls.set(id, call)
  }

  #saw({ role, content, ts }: Message): void {
    for (const block of content) {
      if (block.type === 'tool_result' && this.#waits && isName(block.id) && !isLaunched(block.text))
        this.#results.set(block.id, later(this.#results.get(block.id), ts))
      else if (block.type === 'text' && role === 'user' && NOTICE.test(block.text.slice(0, HEAD))) {
        const head = block.text.slice(0, HEAD)
        const agent = TASK.exec(head)?.[1]?.trim()
        if (agent !== undefined && STATUS.test(head))
          this.#reported.set(agent, later(this.#reported.get(agent), ts))
      }
    }
  }
}

const isName = (id: string): boolean => id !== '' && id.length <= LONGEST_NAME

const isLaunched = (text: string): boolean => {
  const head = text.slice(0, HEAD)
  return LAUNCHED.test(head) || LAUNCHED_STATUS.test(head)
}

const later = (known: number | null | undefined, ts: number | null): number | null =>
  known === undefined || known === null || ts === null ? ts : Math.max(known, ts)
