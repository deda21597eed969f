import { noValues, type SessionValues } from './metrics.ts'
import { filesIn } from './text/files.ts'
import { COUNTED_NAMES } from './text/patterns.ts'
import { TextScan } from './text/scan.ts'
import { TOOL_METRICS, ToolScan } from './tools.ts'

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

/** What is found in texts, and the names of tools, as far as a session adds it just so. */
const SAID = COUNTED_NAMES.filter((name) => name !== 'process_mentions' && name !== 'yaml_mentions')
const CALLED = TOOL_METRICS.filter((name) => name !== 'skill_calls')

/** Adds up what a session's messages amount to; they come once and in order. */
export class ContributionScan {
  readonly #text = new TextScan()
  readonly #tools = new ToolScan()
  readonly #files = new Set<string>()
  #messages = 0

  message(told: Told): void {
    this.#messages += 1
    this.#text.message(told.text)
    filesIn(told.text, this.#files)
    if (told.callsText !== undefined) filesIn(told.callsText, this.#files)
    for (const name of told.calls) this.#tools.call(name)
    if (told.result !== undefined) this.#tools.result(told.result)
  }

  values(): SessionValues {
    const text = this.#text.facts()
    const { counts: said, errors } = text
    const { counts: tools, calls, distinct } = this.#tools
    const values = noValues()
    for (const name of SAID) values[name] = said[name]
    for (const name of CALLED) values[name] = tools[name]
    values.message_count = this.#messages
    values.tool_call_count = calls
    values.distinct_tool_count = distinct.size
    values.web_browser_calls = tools.web_calls + tools.browser_calls
    values.process_calls += said.process_mentions
    values.skill_events = tools.skill_calls + text.skills
    values.error_count = errors
    values.files_touched_count = this.#files.size
    values.yaml_error_events = errors > 0 ? said.yaml_mentions : 0
    values.port_conflict_events = Number(text.portConflict)
    values.install_error_events = Number(text.install && errors > 0)
    values.install_success_events = Number(text.install && text.success)
    values.restart_after_error_events = Number(errors > 0 && text.restart)
    values.tiny_patch_after_errors_events = Number(errors >= 5 && text.tiny)
    return values
  }
}
