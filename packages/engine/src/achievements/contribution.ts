import type { SessionValues } from './metrics.ts'
import { type Passed, Passing, WATCHED } from './passed.ts'
import { filesIn } from './text/files.ts'
import { TextScan } from './text/scan.ts'
import { ToolScan } from './tools.ts'

/** One message as the metrics see it. */
export interface Told {
  readonly text: string
  /** Names of the tools it calls, in order. */
  readonly calls: readonly string[]
  /** The tool whose result it is. */
  readonly result?: string | undefined
  /** The calls as text, in which files may be named. */
  readonly callsText?: string | undefined
}

const TOOL_CALLS = WATCHED.indexOf('tool_call_count')
const TOOLS = WATCHED.indexOf('distinct_tool_count')
const MESSAGES = WATCHED.indexOf('message_count')
const TERMINAL = WATCHED.indexOf('terminal_calls')
const FILE_CALLS = WATCHED.indexOf('file_tool_calls')
const WEB = WATCHED.indexOf('web_calls')
const WEB_BROWSER = WATCHED.indexOf('web_browser_calls')
const FILES = WATCHED.indexOf('files_touched_count')

/** Adds up what a session's messages amount to; they come once and in order. */
export class ContributionScan {
  readonly #text = new TextScan()
  readonly #tools = new ToolScan()
  readonly #files = new Set<string>()
  readonly #passing = new Passing()
  #messages = 0

  /** `at`: when it was, in milliseconds, where that is known. */
  message(told: Told, at: number | null = null): void {
    this.#messages += 1
    this.#text.message(told.text)
    filesIn(told.text, this.#files)
    if (told.callsText !== undefined) filesIn(told.callsText, this.#files)
    for (const name of told.calls) this.#tools.call(name)
    if (told.result !== undefined) this.#tools.result(told.result)
    if (at !== null) this.#look(at)
  }

  passed(): Passed | undefined {
    return this.#passing.passed()
  }

  #look(at: number): void {
    const { calls, distinct, counts } = this.#tools
    const passing = this.#passing
    passing.look(TOOL_CALLS, calls, at)
    passing.look(TOOLS, distinct.size, at)
    passing.look(MESSAGES, this.#messages, at)
    passing.look(TERMINAL, counts.terminal_calls, at)
    passing.look(FILE_CALLS, counts.file_tool_calls, at)
    passing.look(WEB, counts.web_calls, at)
    passing.look(WEB_BROWSER, counts.web_calls + counts.browser_calls, at)
    passing.look(FILES, this.#files.size, at)
  }

  values(): SessionValues {
    const { counts: said, errors, ...text } = this.#text.facts()
    const { process_mentions: processes, yaml_mentions: yaml, ...counted } = said
    const { skill_calls: skills, ...tools } = this.#tools.counts
    return {
      ...counted,
      ...tools,
      message_count: this.#messages,
      tool_call_count: this.#tools.calls,
      distinct_tool_count: this.#tools.distinct.size,
      web_browser_calls: tools.web_calls + tools.browser_calls,
      process_calls: tools.process_calls + processes,
      skill_events: skills + text.skills,
      error_count: errors,
      files_touched_count: this.#files.size,
      yaml_error_events: errors > 0 ? yaml : 0,
      port_conflict_events: Number(text.portConflict),
      install_error_events: Number(text.install && errors > 0),
      install_success_events: Number(text.install && text.success),
      restart_after_error_events: Number(errors > 0 && text.restart),
      tiny_patch_after_errors_events: Number(errors >= 5 && text.tiny),
    }
  }
}
