import type { AchievementItem } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { type Achievement, type Requirement, TIERS, type Tier, type TierName } from './achievement.ts'
import type { Aggregated } from './aggregate.ts'
import type { Evidence } from './evidence.ts'
import type { Aggregate, MetricName } from './metrics.ts'
import { type Unlock, type Unlocks, unlockEvidence } from './unlocks.ts'

const SECOND_MS = 1_000

/** Returns the catalogue with its current state for people. Unlocks are permanent. */
export function buildItems(
  catalogue: readonly Achievement[],
  aggregated: Aggregated,
  unlocks: Unlocks,
): AchievementItem[] {
  return catalogue.map((achievement) => {
    const unlock = unlocks.get(achievement.id)
    const now = sticky(achievement, standing(achievement, aggregated.aggregate), unlock)
    if (now.state === 'secret') return secretItem(achievement, now)
    const best = bestSession(aggregated, achievement)
    const item = {
      ...describeItem(achievement, aggregated.aggregate),
      ...now,
      ...(best && { best_session: best }),
    }
    if (!now.unlocked) return item
    const evidence = greater(unlockEvidence(achievement, aggregated.evidence), unlock?.evidence)
    return { ...item, ...unlockDates(unlock), evidence }
  })
}

function describeItem(achievement: Achievement, values: Aggregate) {
  const { id, name, description, category, kind, icon, secret } = achievement
  const about = { id, name, description, category, kind, icon, ...(secret && { secret }) }
  const counted =
    achievement.kind === 'multi_condition'
      ? { requirements: achievement.requirements.map((one) => requirementProgress(one, values)) }
      : { threshold_metric: achievement.threshold_metric, tiers: [...achievement.tiers] }
  return { ...about, ...counted, criteria: criteria(achievement) }
}

const requirementProgress = ({ metric, gte }: Requirement, values: Aggregate) => ({
  metric,
  gte,
  value: values[metric],
  label: shortLabel(metric),
})

const unlockDates = (unlock: Unlock | undefined) => ({
  unlocked_at: unlock ? Math.floor(unlock.unlocked_at / SECOND_MS) : null,
  tier_dates: Object.fromEntries(
    Object.entries(unlock?.tiers ?? {}).map(([tier, at]) => [tier, Math.floor(at / SECOND_MS)]),
  ),
})

/** The current count may be lower than it was at the unlock. */
const greater = (now: Evidence | null, then: Evidence | null | undefined): Evidence | null =>
  then && (now === null || then.value > now.value) ? then : now

function bestSession({ best }: Aggregated, { id }: Achievement): AchievementItem['best_session'] {
  const found = best.get(id)
  return found?.source === undefined ? undefined : { ...found, source: found.source }
}

/** A reached tier is permanent, like the unlock itself; progress continues from it. */
function sticky(achievement: Achievement, now: Standing, unlock: Unlock | undefined): Standing {
  if (!unlock) return now
  const earned = { ...now, unlocked: true, discovered: true, state: 'unlocked' as const }
  if (achievement.kind === 'multi_condition') return { ...earned, progress_pct: 100 }
  const held = TIERS.findLast((tier) => unlock.tiers[tier] !== undefined) ?? unlock.first_tier
  if (rank(now.tier) >= rank(held)) return earned
  return { ...earned, tier: held, ...wayFrom(achievement.tiers, rank(held), now.progress) }
}

const rank = (tier: TierName | null): number => (tier === null ? -1 : TIERS.indexOf(tier))

/**
 * Hides what a secret achievement counts and requires. That Copper is the first tier and that
 * percentages end at 100 reveals nothing.
 */
const secretItem = ({ id, category, kind }: Achievement, now: Standing): AchievementItem => ({
  id,
  category,
  kind,
  name: '???',
  description: SECRET_DESCRIPTION,
  icon: 'secret',
  secret: true,
  criteria: SECRET_CRITERIA,
  ...now,
  next_threshold: kind === 'multi_condition' ? now.next_threshold : null,
})

interface Standing {
  readonly unlocked: boolean
  readonly discovered: boolean
  readonly state: 'unlocked' | 'discovered' | 'secret'
  readonly tier: TierName | null
  readonly progress: number
  readonly next_tier: TierName | null
  readonly next_threshold: number
  readonly progress_pct: number
}

/** Returns the current progress of an achievement. */
export function standing(achievement: Achievement, aggregate: Aggregate): Standing {
  return achievement.kind === 'multi_condition'
    ? ofRequirements(achievement, aggregate)
    : ofTiers(achievement, metricValue(aggregate, achievement.threshold_metric))
}

const metricValue = (aggregate: Aggregate, metric: MetricName): number => Math.trunc(aggregate[metric])

function ofTiers(
  achievement: Achievement & { readonly kind: 'lifetime' | 'best_session' },
  progress: number,
): Standing {
  const { tiers } = achievement
  const at = tiers.findLastIndex((tier) => tier.threshold <= progress)
  const held = tiers[at]
  return {
    ...itemState(achievement, held !== undefined, progress),
    tier: held?.name ?? null,
    progress,
    ...wayFrom(tiers, at, progress),
  }
}

/** The span from one tier to the next; -1 is before the first. */
function wayFrom(tiers: readonly Tier[], at: number, progress: number) {
  const next = tiers[at + 1]
  const from = tiers[at]?.threshold ?? 0
  return {
    next_tier: next?.name ?? null,
    next_threshold: (next ?? tiers.at(-1))?.threshold ?? 0,
    // Divides first, as Hermes does: 1,392 of 2,400 is 57, not 58.
    progress_pct: next ? clamp(Math.floor(((progress - from) / (next.threshold - from)) * 100), 0, 99) : 100,
  }
}

function ofRequirements(
  achievement: Achievement & { readonly kind: 'multi_condition' },
  aggregate: Aggregate,
): Standing {
  const { requirements } = achievement
  const values = requirements.map(({ metric }) => metricValue(aggregate, metric))
  const parts = requirements.map(({ gte }, at) => Math.min(1, (values[at] ?? 0) / gte))
  const unlocked = requirements.every(({ metric, gte }) => metricValue(aggregate, metric) >= gte)
  const progress = Math.floor(100 * (parts.reduce((sum, part) => sum + part, 0) / parts.length))
  return {
    ...itemState(achievement, unlocked, Math.max(...values)),
    tier: null,
    progress,
    next_tier: null,
    next_threshold: 100,
    progress_pct: unlocked ? 100 : clamp(progress, 0, 99),
  }
}

function itemState(achievement: Achievement, unlocked: boolean, counted: number) {
  const discovered = counted > 0 || !achievement.secret
  const state = unlocked ? ('unlocked' as const) : discovered ? ('discovered' as const) : ('secret' as const)
  return { unlocked, discovered, state }
}

const SECRET_DESCRIPTION = 'Hidden until you discover it.'
const SECRET_CRITERIA = 'Your first progress reveals it.'

const NUMBER = new Intl.NumberFormat('en-US')

/** What each metric counts, as part of a sentence without its number. */
const LABELS: Readonly<Partial<Record<MetricName, string>>> = {
  max_tool_calls_in_session: 'tool calls in one session',
  max_distinct_tools_in_session: 'different tools in one session',
  max_messages_in_session: 'messages in one session',
  max_terminal_calls_in_session: 'terminal calls in one session',
  max_file_tool_calls_in_session: 'file calls in one session',
  max_web_browser_calls_in_session: 'web and browser calls in one session',
  max_files_touched_in_session: 'files named in one session',
  total_tool_calls: 'tool calls',
  total_delegate_calls: 'tasks delegated to sub-agents',
  total_process_calls: 'background processes',
  total_cron_calls: 'scheduled jobs',
  total_errors: 'messages with an error',
  total_terminal_calls: 'terminal calls',
  total_web_calls: 'web searches and fetched pages',
  total_web_extract_calls: 'fetched pages',
  total_patch_calls: 'patches',
  total_file_reads_searches: 'files read or searched',
  traceback_events: 'stack traces and exceptions',
  log_read_events: 'mentions of logs',
  port_conflict_events: 'sessions with a port conflict',
  permission_denied_events: 'refused permissions',
  install_error_events: 'sessions with a failed install',
  install_success_events: 'sessions with a successful install',
  restart_after_error_events: 'sessions with errors and a restart',
  env_var_error_events: 'missing keys and variables',
  yaml_error_events: 'mentions of YAML next to an error',
  docker_conflict_events: 'taken container names',
  frontend_activity_events: 'mentions of front-end work',
  css_activity_events: 'mentions of styles',
  git_events: 'git commands',
  git_history_events: 'git commands that change history, and conflicts',
  tiny_patch_after_errors_events: 'tiny fixes after many errors',
  skill_events: 'skills used and mentioned',
  skill_manage_events: 'skills created and changed',
  memory_events: 'memory calls',
  memory_write_events: 'memory writes',
  context_events: 'mentions of context, tokens and caches',
  gateway_events: 'mentions of gateways',
  plugin_events: 'mentions of plugins',
  rollback_events: 'mentions of rollbacks and checkpoints',
  docs_activity_events: 'mentions of documentation',
  browser_calls: 'browser calls',
  image_vision_calls: 'image and vision calls',
  tts_calls: 'texts spoken aloud',
  model_events: 'mentions of models and providers',
  openrouter_events: 'mentions of OpenRouter',
  codex_events: 'mentions of Codex',
  claude_events: 'mentions of Claude',
  gemini_events: 'mentions of Gemini',
  distinct_model_count: 'different models',
  distinct_provider_count: 'different providers',
  local_model_chat_sessions: 'sessions with a local model',
  toolset_events: 'mentions of toolsets',
  config_events: 'mentions of configuration files',
  test_events: 'mentions of tests',
  screenshot_events: 'mentions of screenshots',
  cache_events: 'mentions of cache hits',
  session_count: 'sessions',
  weekend_sessions: 'sessions started on a weekend',
  night_sessions: 'sessions started at night',
}

const metricLabel = (metric: MetricName): string => LABELS[metric] ?? metric.replaceAll('_', ' ')

/** The short name of one of several conditions. */
const SHORT: Readonly<Partial<Record<MetricName, string>>> = {
  max_terminal_calls_in_session: 'terminal',
  max_file_tool_calls_in_session: 'files',
  max_web_browser_calls_in_session: 'web',
  max_tool_calls_in_session: 'calls',
  install_error_events: 'failed installs',
  install_success_events: 'installs',
  restart_after_error_events: 'restarts',
  tiny_patch_after_errors_events: 'tiny fixes',
  total_errors: 'errors',
  git_events: 'git',
}

const shortLabel = (metric: MetricName): string => SHORT[metric] ?? metricLabel(metric)

/** Describes in one line what the achievement requires. */
function criteria(achievement: Achievement): string {
  if (achievement.kind === 'multi_condition')
    return achievement.requirements
      .map(({ metric, gte }) => `${NUMBER.format(gte)} ${metricLabel(metric)}`)
      .join(' and ')
  const ladder = achievement.tiers
    .map(({ name, threshold }) => `${name} ${NUMBER.format(threshold)}`)
    .join(', ')
  return `${capital(metricLabel(achievement.threshold_metric))}: ${ladder}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
