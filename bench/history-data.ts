import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Transcripts {
  /** The folder of Claude Code, for `CLAUDE_CONFIG_DIR`. */
  readonly folder: string
  readonly files: readonly string[]
  readonly bytes: number
  readonly lines: number
}

const DAY_MS = 86_400_000
/** A fixed end, so that every run writes the same bytes. */
const END = Date.parse('2026-11-01T18:00:00Z')
const MODEL = 'claude-opus-4-8'
const PROJECTS = ['atlas', 'billing', 'notes', 'harbor', 'kiln', 'lantern', 'meadow', 'orchard']
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'Write'] as const
const SYLLABLES =
  'ba be bi bo bu da de di do ga ge go ka ke ki ko la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se so ta te to va ve vo za'.split(
    ' ',
  )

/** Writes sessions as Claude Code does. The same seed writes the same bytes. */
export function writeTranscripts(root: string, sessions: number, seed: number): Transcripts {
  const folder = join(root, 'claude')
  const files: string[] = []
  let bytes = 0
  let lines = 0
  for (let n = 0; n < sessions; n += 1) {
    const writer = new SessionWriter(seed * 1_000_003 + n)
    const project = join(folder, 'projects', `-home-dev-${writer.project}`)
    mkdirSync(project, { recursive: true })
    const file = join(project, `${writer.id}.jsonl`)
    // A few sessions are many times longer than most.
    const steps = Math.ceil(12 + 26 * -Math.log(1 - writer.random()))
    const text = writer.begin(END - ((sessions - n) * (120 * DAY_MS)) / sessions) + writer.steps(steps)
    writeFileSync(file, text)
    utimesSync(file, writer.endedAt, writer.endedAt)
    files.push(file)
    bytes += Buffer.byteLength(text)
    lines += text.split('\n').length - 1
  }
  return { folder, files, bytes, lines }
}

/** Writes one session of at least this size, and returns its file and what appends to it. */
export function writeLongSession(root: string, megabytes: number, seed: number) {
  const writer = new SessionWriter(seed)
  const folder = join(root, 'claude')
  const project = join(folder, 'projects', `-home-dev-${writer.project}`)
  mkdirSync(project, { recursive: true })
  const file = join(project, `${writer.id}.jsonl`)
  writeFileSync(file, writer.begin(Date.now() - DAY_MS))
  for (let size = 0; size < megabytes * 1_048_576; ) {
    const text = writer.steps(50)
    appendFileSync(file, text)
    size += text.length
  }
  return { folder, file, id: writer.id, appendLine: () => appendFileSync(file, writer.prompt()) }
}

class SessionWriter {
  readonly id: string
  readonly project: string
  #state: number
  #at = 0
  #last: string | null = null
  #made = 0

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) % 4_294_967_296 || 1
    for (let n = 0; n < 8; n += 1) this.random()
    this.id = this.#uuid()
    this.project = this.#pick(PROJECTS)
  }

  /** Returns the next number of mulberry32. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  get endedAt(): Date {
    return new Date(this.#at)
  }

  begin(at: number): string {
    this.#at = at
    return this.prompt()
  }

  prompt(): string {
    const content = this.#sentences(1 + this.#int(3))
    return this.#row({ type: 'user', message: { role: 'user', content }, permissionMode: 'default' })
  }

  /** Writes calls with their results, an answer now and then, and the next prompt after it. */
  steps(count: number): string {
    let text = ''
    for (let n = 0; n < count; n += 1) {
      const tool = this.#pick(TOOLS)
      const call = `toolu_${this.#hex(20)}`
      const output = this.random() < 0.6 ? this.#code(4 + this.#int(60)) : this.#sentences(1 + this.#int(6))
      const failed = this.random() < 0.06
      text += this.#reply([
        ...(this.random() < 0.3 ? [{ type: 'text', text: this.#sentences(1) }] : []),
        { type: 'tool_use', id: call, name: tool, input: this.#input(tool) },
      ])
      text += this.#row({
        type: 'user',
        message: {
          role: 'user',
          content: [
            { tool_use_id: call, type: 'tool_result', content: output, ...(failed && { is_error: true }) },
          ],
        },
        toolUseResult: failed
          ? `Error: ${output}`
          : { stdout: output, stderr: '', interrupted: false, isImage: false },
      })
      if (this.random() < 0.15) {
        text += this.#reply([{ type: 'text', text: this.#sentences(3 + this.#int(8)) }])
        text += this.prompt()
      }
    }
    return text
  }

  #input(tool: (typeof TOOLS)[number]): object {
    const file_path = `/home/dev/${this.project}/src/${this.#word()}/${this.#word()}.ts`
    if (tool === 'Bash')
      return {
        command: `npm test -- ${this.#word()} --grep ${this.#word()}`,
        description: this.#sentences(1),
      }
    if (tool === 'Read') return { file_path }
    if (tool === 'Grep')
      return { pattern: this.#word(), path: `/home/dev/${this.project}/src`, output_mode: 'content' }
    if (tool === 'Write') return { file_path, content: this.#code(10 + this.#int(40)) }
    return { replace_all: false, file_path, old_string: this.#code(2), new_string: this.#code(3) }
  }

  #reply(content: readonly object[]): string {
    const usage = {
      input_tokens: 4 + this.#int(20),
      cache_creation_input_tokens: this.#int(4_000),
      cache_read_input_tokens: 8_000 + this.#int(90_000),
      output_tokens: 20 + this.#int(700),
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    }
    const id = `msg_${this.#hex(20)}`
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content,
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage,
    }
    return this.#row({ type: 'assistant', message })
  }

  #row(own: object): string {
    this.#at += 500 + this.#int(9_000)
    this.#made += 1
    const uuid = this.#uuid()
    const row = {
      parentUuid: this.#last,
      isSidechain: false,
      ...own,
      uuid,
      timestamp: new Date(this.#at).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: `/home/dev/${this.project}`,
      sessionId: this.id,
      version: '2.1.197',
      gitBranch: 'main',
    }
    this.#last = uuid
    return `${JSON.stringify(row)}\n`
  }

  #sentences(count: number): string {
    return Array.from({ length: count }, () => {
      const words = Array.from({ length: 6 + this.#int(16) }, () => this.#word())
      return `${words.join(' ')}.`
    }).join(' ')
  }

  #code(lines: number): string {
    return Array.from({ length: lines }, (_, n) => {
      const [a, b, c] = [this.#word(), this.#word(), this.#word()]
      const forms = [
        `${n + 1}\tconst ${a} = await ${b}(${c}, { limit: ${this.#int(500)} })`,
        `${n + 1}\tif (${a}.${b} !== undefined) return ${c}`,
        `${n + 1}\t// ${a} ${b} ${c} ${this.#word()}`,
        `${n + 1}\texport function ${a}${b}(${c}: string): number {`,
        `src/${a}/${b}.ts:${this.#int(400)}: ${c} ${this.#word()}`,
      ]
      return this.#pick(forms)
    }).join('\n')
  }

  /** Draws from about 40,000 words, the short ones far more often. */
  #word(): string {
    const rank = Math.floor(40_000 ** this.random())
    let word = ''
    for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
      word += SYLLABLES[rest % SYLLABLES.length]
    return word
  }

  #int(below: number): number {
    return Math.floor(this.random() * below)
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#int(from.length)] as T
  }

  #hex(length: number): string {
    return Array.from({ length }, () => this.#int(16).toString(16)).join('')
  }

  #uuid(): string {
    const hex = this.#hex(32)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}
