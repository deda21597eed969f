import type { AchievementItem } from '@panoptes/schema'

export type Tier = NonNullable<AchievementItem['tier']>

/** The tiers from lowest to highest. */
export const TIERS: readonly Tier[] = ['Copper', 'Silver', 'Gold', 'Diamond', 'Olympian']

/** The color of a tier; its name or its dots say the same. */
const colors: Readonly<Record<Tier, { readonly text: string; readonly token: string }>> = {
  Copper: { text: 'text-copper', token: '--copper' },
  Silver: { text: 'text-silver', token: '--silver' },
  Gold: { text: 'text-golden', token: '--golden' },
  Diamond: { text: 'text-diamond', token: '--diamond' },
  Olympian: { text: 'text-olympian', token: '--olympian' },
}

/** An unlocked achievement without tiers is marked as done. */
export const tierColor = ({ tier, unlocked }: Pick<AchievementItem, 'tier' | 'unlocked'>): string =>
  tier ? colors[tier].text : unlocked ? 'text-done' : 'text-text-3'

export const tierToken = ({ tier }: Pick<AchievementItem, 'tier'>): string =>
  tier ? colors[tier].token : '--done'

export const tierRank = (tier: Tier | null): number => (tier === null ? -1 : TIERS.indexOf(tier))
