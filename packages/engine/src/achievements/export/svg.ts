import { markup, toVisibleLine } from '@panoptes/engine/redact'
import type { AchievementItem } from '@panoptes/schema'
import { TIERS, type TierName } from '../achievement.ts'
import { latestUnlocks, newestUnlock } from '../latest-unlocks.ts'
import { formatDay, type Shown, WHOSE } from './shared.ts'

const WIDTH = 1200
const HEIGHT = 630
const LATEST = 5
const MOST_NAME = 36
const MOST_LINE = 64
const LEFT = 72

const COLOURS: Readonly<Record<TierName, string>> = {
  Copper: '#d08a5b',
  Silver: '#c3cede',
  Gold: '#fbbf24',
  Diamond: '#7dd3fc',
  Olympian: '#e879f9',
}
const TEXT = '#e6edf7'
const QUIET = '#8b9bb3'
const GOLD = '#fbbf24'

/** A card to share: counts, tiers and the newest unlocks, and nothing about sessions. */
export function toSvg({ reply }: Shown): string {
  const { unlocked_count, discovered_count, secret_count, total_count, time_zone } = reply
  const unlocked = reply.achievements.filter((item) => item.unlocked)
  const alt = `Achievements: ${unlocked_count} of ${total_count} unlocked`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(alt)}" font-family="Inter, system-ui, sans-serif">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#0b1120"/>`,
    `<rect x="24" y="24" width="${WIDTH - 48}" height="${HEIGHT - 48}" rx="12" fill="#0f172a" stroke="#22304a"/>`,
    text(LEFT, 104, 34, TEXT, 'Achievements', 600),
    text(LEFT, 138, 20, QUIET, capital(WHOSE[reply.view])),
    text(LEFT, 262, 104, GOLD, String(unlocked_count), 600),
    text(LEFT, 308, 26, TEXT, `of ${total_count} unlocked`),
    text(LEFT, 344, 20, QUIET, `${discovered_count} discovered, ${secret_count} secret`),
    ...TIERS.map((tier, at) => tierRow(tier, unlocked.filter((item) => item.tier === tier).length, at)),
    text(600, 104, 24, TEXT, 'Latest', 600),
    ...latestUnlocks(unlocked, LATEST).map((item, at) => unlockRow(item, time_zone, at)),
    text(LEFT, 574, 18, QUIET, `Panoptes, ${formatDay(reply.generated_at, time_zone) ?? 'not read yet'}`),
    '</svg>',
    '',
  ].join('\n')
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

const tierRow = (tier: TierName, count: number, at: number): string => {
  const y = 400 + at * 30
  return [
    `<circle cx="${LEFT + 8}" cy="${y - 7}" r="8" fill="${COLOURS[tier]}"/>`,
    text(LEFT + 30, y, 20, TEXT, tier),
    text(LEFT + 160, y, 20, QUIET, String(count)),
  ].join('')
}

const unlockRow = (item: AchievementItem, zone: string, at: number): string => {
  const y = 160 + at * 84
  const about = [item.tier, item.category, formatDay(newestUnlock(item), zone)].filter(Boolean).join(', ')
  return [
    `<rect x="600" y="${y - 24}" width="6" height="56" rx="3" fill="${item.tier ? COLOURS[item.tier] : GOLD}"/>`,
    text(624, y, 26, TEXT, toVisibleLine(item.name, MOST_NAME), 600),
    text(624, y + 30, 18, QUIET, about),
  ].join('')
}

const text = (x: number, y: number, size: number, fill: string, words: string, weight = 400): string =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}">${escaped(words)}</text>`

/** XML cannot represent two code points that are not characters. */
const escaped = (words: string): string =>
  markup(toVisibleLine(words, MOST_LINE).replace(/[\ufffe\uffff]/g, '\ufffd'))
