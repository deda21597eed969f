import type { Compartment } from '@panoptes/schema'
import { toFieldList, toText } from '../../fields.ts'
import type { JarvisTool } from './port.ts'

const MOST_CONVERSATIONS = 500
const MOST_ALWAYS = 200

/** Approvals for the rest of a conversation. They end with the process. */
export class Granted {
  readonly #tools = new Map<string, Set<string>>()

  has(conversation: string, identity: string): boolean {
    return this.#tools.get(conversation)?.has(identity) === true
  }

  add(conversation: string, identity: string): void {
    const tools = this.#tools.get(conversation) ?? new Set()
    tools.add(identity)
    this.#tools.delete(conversation)
    this.#tools.set(conversation, tools)
    const [oldest] = this.#tools.keys()
    if (this.#tools.size > MOST_CONVERSATIONS && oldest !== undefined) this.#tools.delete(oldest)
  }
}

interface AlwaysAllowed {
  readonly tool: string
  readonly identity: string
}

/**
 * What may be done in one run without asking. `always` approvals are stored in the state Jarvis
 * continues from.
 */
export class Allowances {
  readonly #granted: Granted
  readonly #conversation: string
  readonly #always: AlwaysAllowed[]

  constructor(granted: Granted, conversation: string, continuity: Compartment | null) {
    this.#granted = granted
    this.#conversation = conversation
    this.#always = toFieldList(continuity?.allowed)
      .map(({ tool, identity }) => ({ tool: toText(tool), identity: toText(identity) }))
      .filter(({ identity }) => identity !== '')
      .slice(-MOST_ALWAYS)
  }

  get always(): readonly AlwaysAllowed[] {
    return this.#always
  }

  has({ identity }: JarvisTool): boolean {
    return (
      this.#granted.has(this.#conversation, identity) ||
      this.#always.some((allowed) => allowed.identity === identity)
    )
  }

  /** Returns whether the user's answer allows the call now. */
  decide({ name, identity }: JarvisTool, choice: string | null): boolean {
    if (choice === 'session' || choice === 'always') this.#granted.add(this.#conversation, identity)
    if (choice === 'always') this.#always.push({ tool: name, identity })
    if (this.#always.length > MOST_ALWAYS) this.#always.shift()
    return choice === 'once' || choice === 'session' || choice === 'always'
  }
}
