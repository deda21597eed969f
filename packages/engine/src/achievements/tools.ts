import { zeros } from './metrics.ts'

/** Metrics of tool names: a call counts if its name contains one of the words. */
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

const metricsCache = new Map<string, readonly ToolMetric[]>()
const MAX_CACHED = 4_096

export class ToolScan {
  readonly distinct = new Set<string>()
  readonly counts: ToolCounts = { ...NO_CALLS }
  calls = 0

  call(name: string): void {
    this.calls += 1
    this.distinct.add(name)
    for (const metric of matchMetrics(name)) this.counts[metric] += 1
  }

  /** A result names a tool but is not a call. */
  result(name: string): void {
    this.distinct.add(name)
  }
}

function matchMetrics(name: string): readonly ToolMetric[] {
  const found = metricsCache.get(name)
  if (found) return found
  const lowered = name.toLowerCase()
  const metrics = TOOL_METRICS.filter((metric) => TOOLS[metric].some((word) => lowered.includes(word)))
  if (metricsCache.size >= MAX_CACHED) metricsCache.clear()
  metricsCache.set(name, metrics)
  return metrics
}
