/** The standard score of a 95 % interval of the normal distribution. */
export const Z = 1.959963984540054
