import type { SessionValues } from './metrics.ts'
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
