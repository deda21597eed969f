import { zeros } from './metrics.ts'

/** What the names of called tools amount to: a call counts where its name contains one of the words. */
const TOOLS = {
  terminal_calls: ['terminal'],
  web_calls: ['web_search', 'web_extract'],
  web_extract_calls: ['web_extract'],
  browser_calls: ['browser'],
  patch_calls: ['patch'],
  file_reads_searches: ['read_file', 'search_files'],
  file_tool_calls: ['read_file', 'write_file', 'patch', 'search_files'],
  delegate_calls: ['delegate_task'],
  process_calls: ['process'],
  cron_calls: ['cronjob'],
  image_vision_calls: ['image', 'vision'],
  tts_calls: ['tts', 'text_to_speech'],
  skill_calls: ['skill'],
  skill_manage_events: ['skill_manage'],
  memory_events: ['memory', 'mnemosyne'],
  memory_write_events: ['mnemosyne_remember', 'memory'],
} as const

type ToolMetric = keyof typeof TOOLS
export const TOOL_METRICS = Object.keys(TOOLS) as readonly ToolMetric[]

const NO_CALLS = zeros(TOOL_METRICS)

export type ToolCounts = Record<ToolMetric, number>

const known = new Map<string, readonly ToolMetric[]>()
const KNOWN_AT_MOST = 4_096

export class ToolScan {
  readonly distinct = new Set<string>()
  readonly counts: ToolCounts = { ...NO_CALLS }
  calls = 0

  call(name: string): void {
    this.calls += 1
    this.distinct.add(name)
    for (const metric of metricsOf(name)) this.counts[metric] += 1
  }

  /** A result names a tool, and is no call. */
  result(name: string): void {
    this.distinct.add(name)
  }
}

function metricsOf(name: string): readonly ToolMetric[] {
  const found = known.get(name)
  if (found) return found
  const lowered = name.toLowerCase()
  const metrics = TOOL_METRICS.filter((metric) => TOOLS[metric].some((word) => lowered.includes(word)))
  if (known.size >= KNOWN_AT_MOST) known.clear()
  known.set(name, metrics)
  return metrics
}
