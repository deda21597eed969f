/** Of the normal distribution: 95 % lie within so many deviations. */
export const Z = 1.959963984540054
