import { noValues, type SessionValues } from './metrics.ts'
import { filesIn } from './text/files.ts'
import { COUNTED_NAMES } from './text/patterns.ts'
import { TextScan } from './text/scan.ts'
import { type Passed, Passing, WATCHED } from './threshold-times.ts'
import { TOOL_METRICS, ToolScan } from './tools.ts'

/** One message as the metrics see it. */
export interface MetricMessage {
  readonly text: string
  /** The names of the tools it calls, in order. */
  readonly calls: readonly string[]
  /** The tool whose result it is. */
  readonly result?: string | undefined
  /** The calls as text, which may name files. */
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

/** Counts found in texts and tool names that are added up unchanged. */
const TEXT_COUNTS = COUNTED_NAMES.filter((name) => name !== 'process_mentions' && name !== 'yaml_mentions')
const CALLED = TOOL_METRICS.filter((name) => name !== 'skill_calls')

/** Computes the values of a session from its messages, which must come once and in order. */
export class ContributionScan {
  readonly #text = new TextScan()
  readonly #tools = new ToolScan()
  readonly #files = new Set<string>()
  readonly #passing = new Passing()
  #messages = 0

  /** `at` is the time in milliseconds, if known. */
  message(message: MetricMessage, at: number | null = null): void {
    this.#messages += 1
    this.#text.message(message.text)
    filesIn(message.text, this.#files)
    if (message.callsText !== undefined) filesIn(message.callsText, this.#files)
    for (const name of message.calls) this.#tools.call(name)
    if (message.result !== undefined) this.#tools.result(message.result)
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
    const text = this.#text.facts()
    const { counts: textCounts, errors } = text
    const { counts: tools, calls, distinct } = this.#tools
    const values = noValues()
    for (const name of TEXT_COUNTS) values[name] = textCounts[name]
    for (const name of CALLED) values[name] = tools[name]
    values.message_count = this.#messages
    values.tool_call_count = calls
    values.distinct_tool_count = distinct.size
    values.web_browser_calls = tools.web_calls + tools.browser_calls
    values.process_calls += textCounts.process_mentions
    values.skill_events = tools.skill_calls + text.skills
    values.error_count = errors
    values.files_touched_count = this.#files.size
    values.yaml_error_events = errors > 0 ? textCounts.yaml_mentions : 0
    values.port_conflict_events = Number(text.portConflict)
    values.install_error_events = Number(text.install && errors > 0)
    values.install_success_events = Number(text.install && text.success)
    values.restart_after_error_events = Number(errors > 0 && text.restart)
    values.tiny_patch_after_errors_events = Number(errors >= 5 && text.tiny)
    return values
  }
}
