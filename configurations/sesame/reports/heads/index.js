headsData("index",{"models":[],"generated":[]});
