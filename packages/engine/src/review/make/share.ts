/** Whole parts of a whole amount by weight; together they are the amount, whatever its sign. */
export function share(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let weighed = 0
  let given = 0
  return weights.map((weight, at) => {
    weighed += total === 0 ? 1 : weight
    const until =
      at === weights.length - 1 ? amount : Math.round(amount * (weighed / (total || weights.length)))
    const part = until - given
    given = until
    return part
  })
}
