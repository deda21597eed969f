const VERSION_7 = /^([0-9a-f]{8}-[0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Whether one thing was made before another, by their ids alone: those of a certain kind begin with the time. Nothing where the ids
 * do not tell.
 */
export function madeBefore(one: string | null, other: string | null): boolean | undefined {
  const [first, second] = [timeIn(one), timeIn(other)]
  if (first === undefined || second === undefined || first === second) return undefined
  return first < second
}

const timeIn = (id: string | null): string | undefined => VERSION_7.exec(id ?? '')?.[1]?.toLowerCase()
